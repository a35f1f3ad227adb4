import type { Race, RaceOutcome } from "../../../model/results/result.ts";
import { plural } from "../../console/text/numbers.ts";
import { distinctOutcomes, ordinal, orderText } from "../../console/findings/race-text.ts";
import { statusPart } from "../findings/exchange-part.ts";
import type { Limits } from "../limits.ts";
import { shortText, text } from "../text/safe-text.ts";

type Outcomes = Pick<Race, "observed" | "allowed" | "first" | "second" | "copies">;

/** A difference between the outcomes of a race. `values` contains the HTTP status of a call, or how often a line or a broken rule occurs. */
interface DecidingPart {
  readonly kind: "answer" | "change" | "rule";
  readonly text: string;
  /** The value in each outcome; the first value belongs to the outcome of the race. */
  readonly values: readonly (number | null)[];
}

/** The largest number of rows in the table of differences. Further differences are only in the comparison below the table. */
const MOST = 12;

/**
 * Returns the differences between the outcomes of a race: in answers, in lines of the changed state, and in broken rules. Generated values have the
 * same names in all outcomes, so they are no differences.
 */
export function decidingParts(outcomes: readonly RaceOutcome[]): readonly DecidingPart[] {
  const [first] = outcomes;
  if (first === undefined) return [];
  const answers = first.calls.map(({ action }, side): DecidingPart => ({
    kind: "answer",
    text: `${ordinal(side)}: ${action}`,
    values: outcomes.map(({ calls }) => calls[side]?.status ?? null),
  }));
  const counted = (kind: "change" | "rule", of: (outcome: RaceOutcome) => readonly string[]): readonly DecidingPart[] => {
    const counts = outcomes.map((outcome) => {
      const count = new Map<string, number>();
      for (const line of of(outcome)) count.set(line, (count.get(line) ?? 0) + 1);
      return count;
    });
    return [...new Set(outcomes.flatMap(of))].map((line) => ({ kind, text: line, values: counts.map((count) => count.get(line) ?? 0) }));
  };
  const all = [...answers, ...counted("rule", ({ broken }) => broken), ...counted("change", ({ changes }) => changes)];
  return all.filter(({ values }) => values.some((value) => value !== values[0]));
}

/** Returns an HTML table of the differences between outcomes, with one row for each difference and one column for each outcome. */
export function decidingPart(race: Outcomes, limits: Limits): string {
  const allowed = distinctOutcomes(race, race.allowed);
  const parts = decidingParts([race.observed, ...allowed]);
  if (allowed.length === 0 || parts.length === 0) return "";
  const heads = ["At the same time", ...allowed.map((outcome) => orderText(race, outcome))];
  const rows = parts.slice(0, MOST).map((part) => {
    const cells = part.values.map((value, column) => `<td${column === 0 ? ' class="observed"' : ""}>${cell(part, value)}</td>`);
    return `<tr><th scope="row">${named(part, limits)}</th>${cells.join("")}</tr>`;
  });
  const left = parts.length - rows.length;
  return [
    '<section class="deciding"><h4>What decides</h4>',
    `<div class="scroll" role="group" aria-label="What decides" tabindex="0"><table><thead><tr><td></td>${heads.map((head) => `<th scope="col">${text(head)}</th>`).join("")}</tr></thead>`,
    `<tbody>${rows.join("")}</tbody></table></div>`,
    left > 0 ? `<p class="quiet">${plural(left, "more line")} in the comparison below.</p>` : "",
    "</section>",
  ].join("");
}

function named({ kind, text: line }: DecidingPart, limits: Limits): string {
  const shown = shortText(line, limits.line);
  if (kind === "rule") return `breaks ${shown}`;
  if (kind === "answer") return `${shown} is answered`;
  const name = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
  return `<${name}>${shown}</${name}>`;
}

function cell({ kind }: DecidingPart, value: number | null): string {
  if (kind === "answer") return statusPart(value);
  if (value === 0 || value === null) return '<span class="quiet">no</span>';
  return value === 1 ? "<strong>yes</strong>" : `<strong>${value} times</strong>`;
}
