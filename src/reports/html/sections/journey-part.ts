import type { StepResult } from "../../../model/results/journey-result.ts";
import type { JourneyEntry } from "../../document/document-types.ts";
import { duration } from "../../console/text/numbers.ts";
import { exchangeParts } from "../findings/exchange-part.ts";
import type { Limits } from "../limits.ts";
import { divergencePart, errorPart } from "./problem-parts.ts";
import { block, shortText, shortened, text } from "../text/safe-text.ts";
import { within } from "../text/within.ts";

const KINDS = { passed: "passed", failed: "failed", timed_out: "failed", skipped: "none" } as const;

export function journeyPart(entry: JourneyEntry, limits: Limits): string {
  const { name, file, status, steps, durationMs, interrupted, notes, errors, divergences } = entry;
  const said = interrupted
    ? '<span class="mark warned">interrupted</span>'
    : `<span class="mark ${KINDS[status]}">${text(status.replace("_", " "))}</span>`;
  const shown = status !== "passed" || limits.passed;
  return [
    `<h2>${text(name)}</h2>`,
    `<p>${said} in ${duration(durationMs)} <span class="quiet">${text(file)}</span></p>`,
    `<ol class="journey">${within(
      steps.map((step) => stepPart(step, limits, shown)),
      limits.list,
      "step",
      "li",
    )}</ol>`,
    ...errors.map((one) => errorPart(one, limits)),
    ...divergences.map((one) => divergencePart(one, limits)),
    ...notes.map((note) => `<p class="note">Note: ${shortText(note, limits.message)}</p>`),
  ].join("\n");
}

function stepPart(step: StepResult, limits: Limits, shown: boolean): string {
  const { set, deleted } = step.context;
  const data = (word: string, value: unknown): string =>
    `<details><summary>${word}</summary>${block(shortened(JSON.stringify(value, null, 2) ?? "", limits.body))}</details>`;
  return [
    `<li><span class="action">${text(step.name)}</span> <span class="mark ${KINDS[step.status]}">${text(step.status.replace("_", " "))}</span>`,
    step.status === "skipped" ? "" : ` <span class="quiet">${duration(step.durationMs)}</span>`,
    step.error === undefined
      ? ""
      : block([shortened(step.error, limits.message), ...(step.where === undefined ? [] : [step.where])].join("\n")),
    shown ? exchangeParts(step.requests, limits) : "",
    shown && step.args !== undefined ? data("args", step.args) : "",
    shown && (Object.keys(set).length > 0 || deleted.length > 0) ? data("context", { set, deleted }) : "",
    "</li>",
  ].join("");
}
