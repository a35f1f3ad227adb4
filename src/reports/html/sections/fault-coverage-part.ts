import { faultRows } from "../../console/summary/fault-coverage-text.ts";
import type { ExplorationEntry } from "../../document/document-types.ts";
import { text } from "../text/safe-text.ts";

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
