import type { NotReplayedReason, Violation } from "../../model/results/result.ts";
import { endText, type TargetEnd } from "../../model/results/target-end.ts";
import { cut, printable } from "./printable.ts";

/** The number of characters of a response body that are shown. */
const BODY = 500;

/** Returns the text of `violation.toString()`: a few lines for people, safe to print. */
export function violationText(violation: Omit<Violation, "toString">): string {
  const { severity, invariant, message, reproductionPath, request, response, state, known, target, printed } = violation;
  const doubt = doubtOf(violation);
  const unsure = doubt === undefined ? "" : ` (${doubt.text})`;
  const listed = known === true ? " (known)" : "";
  const nowhere = state === null ? "(none)" : "(the initial state)";
  const path = reproductionPath.length === 0 ? nowhere : reproductionPath.join(" -> ");
  return [
    `[${severity.toUpperCase()}] ${printable(invariant)}${unsure}${listed}`,
    `  ${printable(message)}`,
    `  path      ${printable(path)}`,
    ...(request === undefined ? [] : [`  request   ${printable(`${request.method} ${request.url}`.trim())}`]),
    ...(response === undefined ? [] : [`  response  ${response.status} ${printable(cut(response.body, BODY))}`.trimEnd()]),
    ...(target === undefined ? [] : targetLines(target).map((line) => `  ${line}`)),
    ...printedLines(printed).map((line) => `  ${line}`),
  ].join("\n");
}

/** Returns why a finding is not certain, as a word and as a phrase; `undefined`: it was seen again from a clean start. */
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
    const why = notReplayedReason === undefined ? "it was not replayed from a clean start" : NOT_REPLAYED[notReplayedReason];
    return { word: "not confirmed", text: `not confirmed: ${why}` };
  }
  return { word: "flaky", text: "flaky: not seen again from a clean start" };
}

const NOT_REPLAYED: Readonly<Record<NotReplayedReason, string>> = {
  max_time: "max_time was over before it was replayed from a clean start",
  interrupted: "the run was interrupted before it was replayed from a clean start",
  no_target: "no target could be started to replay it",
};

/** Returns the lines that the target printed during the last step, if any. */
export function printedLines(printed: readonly string[] | undefined): readonly string[] {
  if (printed === undefined || printed.length === 0) return [];
  return ["target    printed during the last step", ...printed.map((line) => `  | ${printable(line)}`)];
}

/** Returns how a target's process ended, and its last output. */
export function targetLines(target: TargetEnd): readonly string[] {
  const { output } = target;
  const said = output.length === 0 ? "and had printed nothing" : "and had printed last";
  return [`target    ${endText(target)}, ${said}`, ...output.map((line) => `  | ${printable(line)}`)];
}
