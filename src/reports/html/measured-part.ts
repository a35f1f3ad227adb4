import type { CodeCoverage, OperationCoverage } from "../../model/results/coverage.ts";
import { codeText, operationsText, share } from "../console/coverage-text.ts";
import { grouped } from "../console/numbers.ts";
import { statusPart } from "./exchange-part.ts";
import type { Limits } from "./limits.ts";
import { text } from "./safe-text.ts";
import { within } from "./within.ts";

/** Shows the operations of the OpenAPI description, with their statuses. */
export function operationsPart(operations: readonly OperationCoverage[] | undefined, limits: Limits): string {
  if (operations === undefined) return "";
  const rows = operations.map(({ method, path, seen, missing, undescribed }) => {
    const never = seen.length === 0 ? '<span class="warn">never called</span>' : seen.map(statusPart).join(" ");
    return row(`${method} ${path}`, [never, text(missing.join(", ")), text(undescribed.join(", "))]);
  });
  return table(
    `Operations: ${operationsText(operations)}`,
    ["Operation", "Answers", "Described, never seen", "Not described"],
    rows,
    limits,
  );
}

/** Shows the source files of the target, with their lines and branches. */
export function codePart(code: CodeCoverage | undefined, limits: Limits): string {
  if (code === undefined) return "";
  const rows = code.files.map(({ file, lines, branches }) =>
    row(
      file,
      [lines, branches].map((count) => `${share(count)} <span class="quiet">${grouped(count.covered)} of ${grouped(count.total)}</span>`),
    ),
  );
  const notes = code.notes.map((note) => `<p class="note">${text(note)}</p>`).join("");
  const title = code.lines.total === 0 ? "Code: not measured" : `Code: ${codeText(code)}`;
  return `<section class="part" id="code" data-title="Code">${table(title, ["File", "Lines", "Branches"], rows, limits)}${notes}</section>`;
}

function row(name: string, cells: readonly string[]): string {
  return `<tr><th scope="row">${text(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function table(title: string, columns: readonly string[], rows: readonly string[], limits: Limits): string {
  const head = columns.map((name) => `<th scope="col">${name}</th>`).join("");
  const whole = `<div class="scroll" role="group" aria-label="${columns[0]}s" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
  return `<details class="measured"><summary>${text(title)}</summary>${within([whole], limits.list, "table")}</details>`;
}
