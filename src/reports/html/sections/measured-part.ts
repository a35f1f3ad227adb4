import type { CodeCoverage, OperationCoverage } from "../../../model/results/coverage.ts";
import type { RuleStrength, StrengthPlace } from "../../document/document-types.ts";
import { codeText, operationsText, share } from "../../console/summary/coverage-text.ts";
import { grouped } from "../../console/text/numbers.ts";
import { statusPart } from "../findings/exchange-part.ts";
import type { Limits } from "../limits.ts";
import { text } from "../text/safe-text.ts";
import { within } from "../text/within.ts";

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

/** Shows how often the rules noticed wrong data, by table and column. The data that the rules noticed least comes first. */
export function strengthPart(strength: RuleStrength | undefined, limits: Limits): string {
  if (strength === undefined) return "";
  const { tried, noticed, refused, isCut, places } = strength;
  const shareOf = (one: Pick<StrengthPlace, "noticed" | "tried">): number => (one.tried === 0 ? 1 : one.noticed / one.tried);
  const rows = places
    .toSorted((a, b) => shareOf(a) - shareOf(b))
    .map((place) => {
      const count = `${grouped(place.noticed)} of ${grouped(place.tried)}`;
      const times = place.noticed === 0 ? `<span class="warn">not noticed</span> <span class="quiet">${count}</span>` : count;
      return row(place.table, [text(place.column ?? ""), text(place.kind), times, text(place.by.join(", "))]);
    });
  // Like on the terminal, a share below 100 % is never rounded up to 100 %.
  const percent = noticed === tried ? 100 : Math.min(99, Math.round((100 * noticed) / tried));
  const title = [
    `Strength of the rules: they noticed ${tried === 0 ? "none" : `${percent} %`} of ${grouped(tried)} corruptions`,
    ...(refused === 0 ? [] : [`the database refused ${grouped(refused)} more`]),
    ...(isCut ? ["the time was up before all were tried"] : []),
  ];
  return table(title.join("; "), ["Table", "Column", "Corruption", "Noticed", "By"], rows, limits);
}

function row(name: string, cells: readonly string[]): string {
  return `<tr><th scope="row">${text(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function table(title: string, columns: readonly string[], rows: readonly string[], limits: Limits): string {
  const head = columns.map((name) => `<th scope="col">${name}</th>`).join("");
  const whole = `<div class="scroll" role="group" aria-label="${columns[0]}s" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
  return `<details class="measured"><summary>${text(title)}</summary>${within([whole], limits.list, "table")}</details>`;
}
