import { grouped } from "../console/numbers.ts";
import type { DepthTable } from "./depth-table.ts";

/** The most rows of the table. A depth-first search may be a million deep; beyond this number, one row is for several depths. */
const MOST_ROWS = 200;

/** Shows the number of states at each depth. */
export function depthsPart({ states, whole }: DepthTable): string {
  const each = Math.ceil(states.length / MOST_ROWS);
  const counts = Array.from({ length: Math.ceil(states.length / each) }, (_, row) => sum(states.slice(row * each, (row + 1) * each)));
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const rows = counts.map((count, row) => {
    const width = Math.max(count === 0 ? 0 : 0.5, (count / most) * 100).toFixed(1);
    const depths = each === 1 ? row : `${row * each}–${Math.min((row + 1) * each, states.length) - 1}`;
    return `<tr><th scope="row">${depths}</th><td class="number">${grouped(count)}</td><td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="10"></rect></svg></td></tr>`;
  });
  const part = whole ? "" : `<p class="note">Of the ${grouped(sum(states))} states that this file has.</p>`;
  return `<section class="depths"><h3>States by depth</h3>${part}<table><thead><tr><th scope="col">Depth</th><th scope="col">States</th><td></td></tr></thead><tbody>${rows.join("")}</tbody></table></section>`;
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
