import type { ExplorationEntry } from "../../document/document-types.ts";
import type { Comparison } from "../../document/compared-with.ts";
import { minimalitySentence } from "../../console/findings/minimality-text.ts";
import { plural } from "../../console/text/numbers.ts";
import { printable } from "../../console/text/printable.ts";
import { doubtOf, evidenceLines, targetLines } from "../../console/findings/violation-text.ts";
import { isFaultId } from "../../../engine/findings/fault-id.ts";
import { element } from "../../junit/xml.ts";
import { anchorOf } from "../text/anchor-of.ts";
import { withFlags } from "../graph/embedded.ts";
import { exchangePart, exchangeParts } from "./exchange-part.ts";
import type { FindingView } from "./finding-view.ts";
import { block, shortText, text } from "../text/safe-text.ts";
import { sourceLink } from "./source-link.ts";
import { bar } from "./state-part.ts";
import { playerPart, printedPart } from "./steps-part.ts";

export type Finding = ExplorationEntry["violations"][number];

/**
 * The largest number of characters of a shell script that is shown. A longer script is left out completely, because a part of a script would not run.
 */
const CURL = 30_000;

/**
 * Returns a finding as HTML, with every step of its path. The page's script later shows one step at a time; without the script, all steps are
 * visible.
 */
export function findingPart(one: Finding, view: FindingView, withSteps: boolean): string {
  const { id, invariant, message, severity, reproductionPath, shrunkFrom, curl, known } = one;
  const { limits } = view;
  const howShort = minimalitySentence(one);
  const why = whyPart(one, view, withSteps);
  const parts = [
    `<p class="message">${shortText(message, limits.message)}</p>`,
    factsPart(factsOf(one, view, withSteps)),
    ...(one.operations === undefined
      ? []
      : [
          `<p>The same cause at ${plural(one.operations.length, "action")}: ${shortText(one.operations.map(({ action }) => action).join(", "), 4_000)}</p>`,
        ]),
    ...(howShort === undefined ? [] : [`<p>${howShort}</p>`]),
    ...(shrunkFrom === undefined
      ? []
      : [
          `<details><summary>Shrunk from ${plural(shrunkFrom.length, "step")}</summary><p>${shortText(shrunkFrom.join(" -> "), 20_000)}</p></details>`,
        ]),
    withSteps
      ? whole(one, view, why)
      : `<p>${shortText(reproductionPath.join(" -> "), 4_000)} (this file does not contain the steps, because it would become too large; the run log has them)</p>${why}`,
    ...(one.steps.length > 0 || one.request === undefined
      ? []
      : [exchangePart({ request: one.request, response: one.response, durationMs: 0 }, limits)]),
    ...(curl === undefined || !withSteps ? [] : [curlPart(curl)]),
  ];
  const state = statusOf(id, view.comparison);
  const heading = `<h4 class="title">${severityPart(one)} <span>${text(invariant)}</span> ${newPart(state)}${marksPart(one)}</h4>`;
  return element(
    "article",
    {
      class: "finding",
      id: anchorOf(id),
      "data-kind": isFaultId(id) ? "fault" : "rule",
      "data-severity": printable(severity),
      "data-name": printable(invariant),
      "data-action": printable(reproductionPath.at(-1) ?? ""),
      "data-steps": reproductionPath.length,
      "data-status": [...(state === undefined ? [] : [state]), ...(known ? ["known"] : []), doubtOf(one)?.word ?? "confirmed"].join(","),
    },
    `<details open><summary>${heading}</summary>${parts.join("\n")}</details>`,
  );
}

/** Returns `new` for a finding that the previous run did not have, `still` for one that it had, and `undefined` without a previous run. */
export function statusOf(id: string, comparison: Comparison | undefined): "new" | "still" | undefined {
  return comparison === undefined ? undefined : comparison.added.includes(id) ? "new" : "still";
}

export const newPart = (status: "new" | "still" | undefined): string => (status === "new" ? '<span class="mark new">NEW</span> ' : "");

export const factsPart = (facts: readonly string[]): string => `<ul class="facts">${facts.map((fact) => `<li>${fact}</li>`).join("")}</ul>`;

export function severityPart({ severity, known }: Pick<Finding, "severity" | "known">): string {
  return `<span class="mark ${known || severity === "low" ? "warned" : severity === "medium" ? "medium" : "failed"}">${text(severity.toUpperCase())}</span>`;
}

function whyPart(one: Finding, { limits }: FindingView, withSteps: boolean): string {
  const { checks, evidence, target, printed, steps } = one;
  const found = evidence === undefined ? [] : evidenceLines(evidence, 20);
  return [
    ...(found.length === 0 ? [] : [`<div class="evidence">${bar("What the rule found")}${block(found.join("\n"))}</div>`]),
    ...(checks === undefined || checks.length === 0 || !withSteps
      ? []
      : [
          `<details class="checks"><summary>Requests of the rule after the last step <span class="quiet">${checks.length}</span></summary>${exchangeParts(checks, limits)}</details>`,
        ]),
    ...(target === undefined ? [] : [`${bar("The target")}${block(targetLines(target).join("\n"))}`]),
    // Documents of earlier versions store the target's output in the finding, not in its last step.
    ...(printed === undefined || steps.at(-1)?.printed !== undefined ? [] : [printedPart({ printed })]),
  ].join("");
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
      ? "<p>The script is too long for this file. To write it, run seqqa replay with --emit curl.</p>"
      : `<div class="copyable">${block(script)}</div>`;
  return `<details class="curl"><summary>As a curl script</summary>${shown}</details>`;
}

/**
 * Returns the HTML for the id of a finding and the command that replays it. If the id has unusual characters, the command is left out, because
 * copying it into a shell could be dangerous.
 */
export function idFact(id: string, flags: string | undefined): string {
  const copied = text(withFlags(`npx seqqa replay ${id}`, flags));
  const command = /^\w+$/.test(id) ? ` <span class="copy" data-copy="${copied}" data-label="Copy replay command"></span>` : "";
  return `<a href="#${anchorOf(id)}">id ${text(id)}</a>${command}`;
}

/** Returns the HTML for the name of a finding's state and the command that opens the state. */
export function stateFact(name: string | undefined, flags: string | undefined): readonly string[] {
  if (name === undefined || !/^[0-9a-f]+$/.test(name)) return [];
  const command = text(withFlags(`npx seqqa open ${name}`, flags));
  return [`state ${name} <span class="copy" data-copy="${command}" data-label="Copy open command"></span>`];
}

function factsOf(
  { id, confirmed, notReplayed, notReplayedReason, known, where, reproductionPath, state }: Finding,
  { source, stateName, flags }: FindingView,
  withSteps: boolean,
): readonly string[] {
  const doubt = doubtOf({ confirmed, notReplayed, notReplayedReason });
  const path = reproductionPath.join(" -> ");
  // A part of a path is useless in a command, so a path that is too long cannot be copied.
  const isCopied = path !== "" && path.length <= (withSteps ? 20_000 : 4_000);
  return [
    idFact(id, flags),
    ...stateFact(state === null ? undefined : stateName?.(state), flags),
    doubt === undefined ? "confirmed: seen again from a clean start" : `<span class="warn">${doubt.text}</span>`,
    ...(where === undefined ? [] : [`rule at ${sourceLink(where, source)}`]),
    ...(known ? ["known: listed in known_findings, so it does not fail the run"] : []),
    ...(isCopied ? [`<span class="copy" data-copy="${text(path)}" data-label="Copy path"></span>`] : []),
  ];
}

function whole({ reproductionPath, steps, state }: Finding, view: FindingView, why: string): string {
  if (reproductionPath.length === 0) return `<p>${state === null ? "No path leads to this finding." : "In the root state."}</p>${why}`;
  return playerPart({ path: reproductionPath, steps, failing: why }, view);
}
