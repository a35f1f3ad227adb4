import type { ExplorationEntry } from "../document/document-types.ts";
import { minimalitySentence } from "../console/minimality-text.ts";
import { plural } from "../console/numbers.ts";
import { printable } from "../console/printable.ts";
import { doubtOf, evidenceLines, printedLines, targetLines } from "../console/violation-text.ts";
import { element } from "../junit/xml.ts";
import { exchangePart, exchangeParts } from "./exchange-part.ts";
import type { Limits } from "./limits.ts";
import { block, shortened, text } from "./safe-text.ts";
import { playerPart } from "./steps-part.ts";

export type Finding = ExplorationEntry["violations"][number];

/** The most characters of a script that is shown. A script that was cut would not run. */
const CURL = 30_000;

/** Returns the id of the element that shows a finding, for links to `#finding-<id>`. */
export const anchorOf = (id: string): string => `finding-${printable(id).replace(/[^\w-]/g, "-")}`;

/** A finding with every step of its path. Without the page's script all steps are shown one below the other; the script shows one at a time. */
export function findingPart(one: Finding, limits: Limits, withSteps: boolean): string {
  const { id, invariant, message, steps, reproductionPath, checks, evidence, shrunkFrom, target, curl } = one;
  const howShort = minimalitySentence(one);
  const parts = [
    `<p class="message">${text(shortened(message, limits.message))}</p>`,
    `<ul class="facts">${factsOf(one)
      .map((fact) => `<li>${fact}</li>`)
      .join("")}</ul>`,
    ...(one.operations === undefined
      ? []
      : [
          `<p>The same cause at ${plural(one.operations.length, "action")}: ${text(shortened(one.operations.map(({ action }) => action).join(", "), 4_000))}</p>`,
        ]),
    ...(howShort === undefined ? [] : [`<p>${howShort}</p>`]),
    ...(shrunkFrom === undefined
      ? []
      : [
          `<details><summary>Shrunk from ${plural(shrunkFrom.length, "step")}</summary><p>${text(shortened(shrunkFrom.join(" -> "), 20_000))}</p></details>`,
        ]),
    withSteps
      ? whole(one, limits)
      : `<p>${text(shortened(reproductionPath.join(" -> "), 4_000))} (its steps are in the run store, left out here for the size of this file)</p>`,
    ...(steps.length > 0 || one.request === undefined
      ? []
      : [exchangePart({ request: one.request, response: one.response, durationMs: 0 }, limits)]),
    ...(checks === undefined || checks.length === 0 || !withSteps
      ? []
      : [`<section class="checks"><h4>Requests of the rule after the last step</h4>${exchangeParts(checks, limits)}</section>`]),
    ...(evidence === undefined
      ? []
      : [`<section class="evidence"><h4>What the rule found</h4>${block(evidenceLines(evidence, 20).join("\n"))}</section>`]),
    ...(target === undefined ? [] : [`<h4>The target</h4>${block(targetLines(target).join("\n"))}`]),
    ...(one.printed === undefined ? [] : [`<h4>The target</h4>${block(printedLines(one.printed).join("\n"))}`]),
    ...(curl === undefined || !withSteps ? [] : [curlPart(curl)]),
  ];
  const heading = `<h4 class="title">${severityPart(one)} <span>${text(invariant)}</span> ${marksPart(one)}</h4>`;
  return element(
    "article",
    { class: "finding", id: anchorOf(id) },
    `<details open><summary>${heading}</summary>${parts.join("\n")}</details>`,
  );
}

export function severityPart({ severity, known }: Pick<Finding, "severity" | "known">): string {
  return `<span class="mark ${known || severity === "low" ? "warned" : severity === "medium" ? "medium" : "failed"}">${text(severity.toUpperCase())}</span>`;
}

function marksPart({ confirmed, notReplayed, notReplayedReason, known, count, reproductionPath }: Finding): string {
  const doubt = doubtOf({ confirmed, notReplayed, notReplayedReason });
  const marks = [
    reproductionPath.length === 0 ? "no steps" : plural(reproductionPath.length, "step"),
    ...(count > 1 ? [`seen ${plural(count, "time")}`] : []),
    ...(doubt === undefined ? [] : [doubt.word]),
    ...(known ? ["known"] : []),
  ];
  return `<span class="quiet">${marks.join(", ")}</span>`;
}

export function curlPart(script: string): string {
  const shown =
    script.length > CURL
      ? "<p>It is too long for this file; seqqa replay --emit curl writes it.</p>"
      : `<div class="copyable">${block(script)}</div>`;
  return `<details class="curl"><summary>As a curl script</summary>${shown}</details>`;
}

function factsOf({ id, confirmed, notReplayed, notReplayedReason, known, where }: Finding): readonly string[] {
  const doubt = doubtOf({ confirmed, notReplayed, notReplayedReason });
  return [
    `<a href="#${anchorOf(id)}">id ${text(id)}</a>`,
    doubt === undefined ? "confirmed: seen again from a clean start" : `<span class="warn">${doubt.text}</span>`,
    ...(where === undefined ? [] : [`rule at ${text(where)}`]),
    ...(known ? ["known: listed, so it does not fail the run"] : []),
  ];
}

function whole({ reproductionPath, steps, state }: Finding, limits: Limits): string {
  if (reproductionPath.length === 0) return `<p>${state === null ? "No path leads to it." : "In the initial state."}</p>`;
  return playerPart(reproductionPath, steps, limits);
}
