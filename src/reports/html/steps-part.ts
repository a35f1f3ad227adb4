import type { RecordedStep } from "../../model/results/result.ts";
import { plural } from "../console/numbers.ts";
import { exchangeParts, statusPart } from "./exchange-part.ts";
import type { Limits } from "./limits.ts";
import { shortened, text } from "./safe-text.ts";

/** The steps of a path, one below the other; the page's script shows one at a time. */
export function playerPart(path: readonly string[], steps: readonly RecordedStep[], limits: Limits): string {
  const items = path.map((action, index) => stepPart(action, steps[index], limits));
  return `<div class="player"><ol class="path">${items.join("")}</ol></div>`;
}

function stepPart(action: string, step: RecordedStep | undefined, limits: Limits): string {
  const head = `<div class="head"><span class="action">${text(action)}</span> ${step === undefined ? "" : statusPart(step.status)}</div>`;
  if (step === undefined) return `<li>${head}</li>`;
  const { changes, requests } = step;
  const body = [
    ...(changes === undefined ? [] : [changesPart(changes, limits)]),
    exchangeParts(requests, limits),
    ...(changes === undefined && requests.length === 0 ? ['<p class="quiet">Nothing was recorded of this step.</p>'] : []),
  ];
  return `<li>${head}<div class="body">${body.join("")}</div></li>`;
}

/** Lines that begin with `- ` and `+ `; marked lines are highlighted. */
export function changesPart(changes: readonly string[], limits: Limits, isMarked: (line: string) => boolean = () => false): string {
  if (changes.length === 0) return '<p class="quiet">The state did not change.</p>';
  const left = changes.length - limits.lines;
  const note = left > 0 ? `<p class="note">${plural(left, "more line")} left out for the size of this file.</p>` : "";
  const lines = (left > 0 ? changes.slice(0, limits.lines) : changes).map((line) => {
    const name = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
    const shown = text(shortened(line, limits.line));
    return `<${name}>${isMarked(line) ? `<mark>${shown}</mark>` : shown}</${name}>`;
  });
  return `<h5>What changed in the state</h5><div class="diff" role="group" aria-label="What changed in the state" tabindex="0">${lines.join("")}</div>${note}`;
}
