import type { RecordedStep } from "../../../model/results/result.ts";
import { plural } from "../../console/text/numbers.ts";
import { exchangeParts, statusPart } from "./exchange-part.ts";
import type { FindingView } from "./finding-view.ts";
import { readableChanges } from "../../console/text/readable-changes.ts";
import { block, text } from "../text/safe-text.ts";
import { changesPart, wholeStatePart } from "./state-part.ts";

export interface ShownPath {
  readonly path: readonly string[];
  readonly steps: readonly RecordedStep[];
  /** HTML that says why the last step of the path fails; `undefined` if no step fails. */
  readonly failing?: string | undefined;
}

/**
 * Returns HTML with the steps of a path one below the other, beginning with `setup`. The page's script later shows one step at a time, first the
 * failing one.
 */
export function playerPart({ path, steps, failing }: ShownPath, view: FindingView): string {
  const items = path.map((action, index) => {
    const before = index === 0 ? undefined : (steps[index - 1]?.state ?? "unknown");
    return stepPart(action, steps[index], { view, before, failing: index === path.length - 1 ? failing : undefined });
  });
  const setup =
    view.setup === undefined
      ? ""
      : `<li class="setup"><div class="head"><span class="action">setup</span></div><div class="body" data-content="${view.setup}"><p><a href="#${view.setup}">How the root state was reached</a></p></div></li>`;
  return `<div class="player"><ol class="path">${setup}${items.join("")}</ol></div>`;
}

interface StepPlace {
  readonly view: FindingView;
  /** The lines of the state before the step; `undefined` if it is the root state, `"unknown"` if the state was not recorded. */
  readonly before: readonly string[] | "unknown" | undefined;
  readonly failing: string | undefined;
}

function stepPart(action: string, step: RecordedStep | undefined, { view, before, failing }: StepPlace): string {
  const { limits } = view;
  const role = view.roleOf(action);
  const head = [
    `<span class="action">${text(action)}</span>`,
    ...(role === undefined ? [] : [`<span class="role">as ${text(role)}</span>`]),
    ...(step === undefined ? [] : [statusPart(step.status)]),
    ...(failing === undefined ? [] : ['<span class="mark failed">fails here</span>']),
  ].join(" ");
  const body: string[] = failing === undefined || failing === "" ? [] : [`<section class="why">${failing}</section>`];
  if (step !== undefined) {
    const { changes, requests, state } = step;
    if (changes !== undefined) body.push(changesPart(readableChanges(changes), limits));
    if (state !== undefined && before !== "unknown") body.push(wholeStatePart(state, before, view.root, limits));
    body.push(exchangeParts(requests, limits), printedPart(step));
    if (changes === undefined && requests.length === 0) body.push('<p class="quiet">Nothing was recorded of this step.</p>');
  }
  const shown = body.filter((part) => part !== "").join("");
  return `<li${failing === undefined ? "" : ' class="failing"'}><div class="head">${head}</div>${shown === "" ? "" : `<div class="body">${shown}</div>`}</li>`;
}

export function printedPart({ printed = [] }: Pick<RecordedStep, "printed">): string {
  if (printed.length === 0) return "";
  return `<details class="printed-lines"><summary>The target's output <span class="quiet">${plural(printed.length, "line")}</span></summary>${block(printed.join("\n"))}</details>`;
}
