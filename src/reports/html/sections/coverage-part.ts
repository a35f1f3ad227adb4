import type { ExplorationEntry } from "../../document/document-types.ts";
import { grouped, plural } from "../../console/text/numbers.ts";
import { statusPart } from "../findings/exchange-part.ts";
import type { DepthTable } from "./depth-table.ts";
import { text } from "../text/safe-text.ts";
import { faultRows } from "../../console/summary/fault-coverage-text.ts";

export function coveragePart(entry: ExplorationEntry, table: DepthTable | undefined): string {
  const actions = Object.entries(entry.coverage.actions);
  if (actions.length === 0) return "";
  const dead = actions.filter(([, { applied, brought }]) => applied === 0 && brought !== true).map(([name]) => name);
  const rows = actions.map(([name, { applied, skipped, statuses, brought }]) => {
    const answers = Object.entries(statuses).map(([status, times]) => `${answer(status)} <span class="quiet">${grouped(times)}</span>`);
    return `<tr><th scope="row">${text(name)}</th><td class="number">${applied > 0 ? grouped(applied) : brought === true ? "never" : '<span class="warn">never</span>'}</td><td class="number">${grouped(skipped)}</td><td>${answers.join(" ")}</td></tr>`;
  });
  return [
    `<section class="coverage"><h3>Coverage</h3>`,
    `<p>${percent(entry.coverage.pairs)} of all pairs of a state and an action were executed or skipped, by ${plural(actions.length, "action")}.</p>`,
    dead.length === 0
      ? "<p>Every action was applied at least once.</p>"
      : `<p><span class="warn">Never applied in any state:</span> ${text(dead.join(", "))}</p>`,
    '<div class="scroll" role="group" aria-label="Actions" tabindex="0"><table><thead><tr><th scope="col">Action</th><th scope="col">Applied</th><th scope="col">Skipped</th><th scope="col">Answers</th></tr></thead>',
    `<tbody>${rows.join("")}</tbody></table></div>`,
    table === undefined ? "" : byDepth(table),
    "</section>",
  ].join("\n");
}

/** Returns an HTML table of actions by depth. A cell is the share of the states of a depth in which the action was executed. */
function byDepth({ actions, states, executed, whole }: DepthTable): string {
  if (executed.length === 0) return "";
  const head = states.map((count, depth) => `<th scope="col">${depth}<span class="quiet of">${grouped(count)}</span></th>`).join("");
  const rows = executed.map((row, action) => {
    const cells = row.map((count, depth) => {
      const share = count / states[depth]!;
      return `<td class="number heat${count === 0 ? 0 : Math.max(1, Math.min(5, Math.ceil(share * 5)))}">${count === 0 ? "" : percent(share)}</td>`;
    });
    return `<tr><th scope="row">${text(actions[action]!)}</th>${cells.join("")}</tr>`;
  });
  const part = !whole ? " Only the part of the graph in this file is counted." : "";
  return [
    `<details><summary>By depth: share of the states in which an action was executed</summary><p class="quiet">Columns are depths, with the number of their states.${part}</p>`,
    `<div class="scroll" role="group" aria-label="Actions by depth" tabindex="0"><table class="heat"><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div></details>`,
  ].join("");
}

/** Returns an HTTP status as HTML. A status that is not a number is a word that says why there is no answer. */
const answer = (status: string): string =>
  /^[1-5]\d\d$/.test(status) ? statusPart(Number(status)) : `<span class="status s0">${text(status)}</span>`;

/** Returns a share as a percentage. `0 %` and `100 %` are exact; all other shares give `under 1 %` to `99 %`. */
function percent(share: number): string {
  if (share >= 1) return "100 %";
  if (share <= 0) return "0 %";
  return share < 0.01 ? "under 1 %" : `${Math.min(99, Math.round(share * 100))} %`;
}

export function faultCoveragePart(entry: ExplorationEntry): string {
  const rows = faultRows(entry);
  if (rows.length === 0) return "";
  return [
    '<section class="fault-coverage"><h3>Faults</h3>',
    "<p>In states that were found, each write of each kind of call was made to fail, one at a time.</p>",
    `<table><tbody>${rows.map(([word, value]) => `<tr><th scope="row">${text(word)}</th><td>${text(value)}</td></tr>`).join("")}</tbody></table>`,
    "</section>",
  ].join("\n");
}
