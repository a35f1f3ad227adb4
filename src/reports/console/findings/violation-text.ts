import type { Evidence, NotReplayedReason, Violation } from "../../../model/results/result.ts";
import { endText, type TargetEnd } from "../../../model/results/target-end.ts";
import { cut, printable } from "../text/printable.ts";

/** The largest number of characters that are shown of a response body. */
const BODY = 500;
/** The largest number of rows that are shown of a query's result. */
const ROWS = 5;

/** Returns the text of `violation.toString()`: a few lines for people, safe to print. */
export function violationText(violation: Omit<Violation, "toString">): string {
  const { severity, invariant, message, reproductionPath, request, response, evidence, state, known, target, printed } = violation;
  const doubt = doubtOf(violation);
  const unsure = doubt === undefined ? "" : ` (${doubt.text})`;
  const listed = known === true ? " (known)" : "";
  const nowhere = state === null ? "(none)" : "(the root state)";
  const path = reproductionPath.length === 0 ? nowhere : reproductionPath.join(" -> ");
  return [
    `[${severity.toUpperCase()}] ${printable(invariant)}${unsure}${listed}`,
    `  ${printable(message)}`,
    `  path      ${printable(path)}`,
    ...alsoLines(violation).map((line) => `  ${line}`),
    ...(request === undefined ? [] : [`  request   ${printable(`${request.method} ${request.url}`.trim())}`]),
    ...(response === undefined ? [] : [`  response  ${response.status} ${printable(cut(response.body, BODY))}`.trimEnd()]),
    ...evidenceLines(evidence).map((line) => `  ${line}`),
    ...(target === undefined ? [] : targetLines(target).map((line) => `  ${line}`)),
    ...printedLines(printed).map((line) => `  ${line}`),
  ].join("\n");
}

/** The largest number of other actions with the same cause that are named. */
const NAMED = 12;

/** Returns a line that names the other actions with findings of the same cause. */
function alsoLines({ operations = [], reproductionPath }: Pick<Violation, "operations" | "reproductionPath">): readonly string[] {
  const others = operations.map(({ action }) => action).filter((action) => action !== reproductionPath.at(-1));
  if (others.length === 0) return [];
  const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : "";
  return [`also in   ${printable(others.slice(0, NAMED).join(", "))}${more}`];
}

/** Returns a word and a phrase that say why a finding is not confirmed; `undefined` if a replay confirmed the finding. */
export function doubtOf({
  confirmed,
  notReplayed,
  notReplayedReason,
}: {
  readonly confirmed: boolean;
  readonly notReplayed?: boolean | undefined;
  readonly notReplayedReason?: NotReplayedReason | undefined;
}): { readonly word: "flaky" | "not confirmed"; readonly text: string } | undefined {
  if (confirmed) return undefined;
  if (notReplayed === true) {
    const why = notReplayedReason === undefined ? "the finding was not replayed from a clean start" : NOT_REPLAYED[notReplayedReason];
    return { word: "not confirmed", text: `not confirmed: ${why}` };
  }
  return { word: "flaky", text: "flaky: not seen again from a clean start" };
}

const NOT_REPLAYED: Readonly<Record<NotReplayedReason, string>> = {
  max_time: "max_time ran out before seqqa replayed the finding from a clean start",
  interrupted: "the run was interrupted before seqqa replayed the finding from a clean start",
  no_target: "seqqa could not start a target to replay the finding",
};

export function evidenceLines(evidence: Evidence | undefined, mostRows: number = ROWS): readonly string[] {
  if (evidence === undefined) return [];
  const { actual, expected, queries } = evidence;
  const shown = (value: unknown): string => printable(cut(JSON.stringify(value) ?? "undefined", BODY));
  return [
    ...(expected === undefined ? [] : [`expected  ${shown(expected)}`]),
    ...(actual === undefined ? [] : [`actual    ${shown(actual)}`]),
    ...queries.flatMap(({ store, sql, params, rows, total }) => [
      `query     ${printable(store)}: ${printable(cut(sql.replace(/\s+/g, " ").trim(), BODY))}${params === undefined ? "" : ` with ${shown(params)}`}`,
      ...rows.slice(0, mostRows).map((row) => `  | ${shown(row)}`),
      ...(total > Math.min(mostRows, rows.length) ? [`  | ${total - Math.min(mostRows, rows.length)} more of ${total} rows`] : []),
      ...(total === 0 ? ["  | no rows"] : []),
    ]),
  ];
}

/** Returns the lines that the target printed during the last step; empty if there are none. */
export function printedLines(printed: readonly string[] | undefined): readonly string[] {
  if (printed === undefined || printed.length === 0) return [];
  return ["target    printed during the last step", ...printed.map((line) => `  | ${printable(line)}`)];
}

/** Returns lines that say how the target's process ended, and quote what it printed last. */
export function targetLines(target: TargetEnd): readonly string[] {
  const { output } = target;
  const said = output.length === 0 ? "and had printed nothing" : "and had printed last";
  return [`target    ${endText(target)}, ${said}`, ...output.map((line) => `  | ${printable(line)}`)];
}
