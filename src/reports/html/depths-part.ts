import { grouped } from "../numbers.ts";
import type { WholeGraph } from "./whole-graph.ts";

/** How many states lie how deep. */
export function depthsPart({ depths, whole }: WholeGraph): string {
  if (depths.length === 0) return "";
  const deepest = depths.reduce((a, b) => Math.max(a, b), 0);
  const counts = Array.from({ length: deepest + 1 }, () => 0);
  for (const depth of depths) counts[depth]!++;
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const rows = counts.map((count, depth) => {
    const width = Math.max(count === 0 ? 0 : 0.5, (count / most) * 100).toFixed(1);
    return `<tr><th scope="row">${depth}</th><td class="number">${grouped(count)}</td><td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="10"></rect></svg></td></tr>`;
  });
  const part = whole ? "" : `<p class="note">Of the ${grouped(depths.length)} states that this file has.</p>`;
  return `<section class="depths"><h3>States by depth</h3>${part}<table><thead><tr><th scope="col">Depth</th><th scope="col">States</th><td></td></tr></thead><tbody>${rows.join("")}</tbody></table></section>`;
}
