import type { Violation } from "../model/result.ts";
import { endText, type TargetEnd } from "../model/target-end.ts";
import { cut, printable } from "./printable.ts";

/** How many characters of a response body are shown. */
const BODY = 500;

/** What `violation.toString()` returns: a few lines for people, safe to print. */
export function violationText(violation: Omit<Violation, "toString">): string {
  const { severity, invariant, message, reproductionPath, request, response, confirmed, state, known, target } = violation;
  const flaky = confirmed ? "" : " (flaky: not seen again from a clean start)";
  const listed = known === true ? " (known)" : "";
  const nowhere = state === null ? "(none)" : "(the initial state)";
  const path = reproductionPath.length === 0 ? nowhere : reproductionPath.join(" -> ");
  return [
    `[${severity.toUpperCase()}] ${printable(invariant)}${flaky}${listed}`,
    `  ${printable(message)}`,
    `  path      ${printable(path)}`,
    ...(request === undefined ? [] : [`  request   ${printable(`${request.method} ${request.url}`.trim())}`]),
    ...(response === undefined ? [] : [`  response  ${response.status} ${printable(cut(response.body, BODY))}`.trimEnd()]),
    ...(target === undefined ? [] : targetLines(target).map((line) => `  ${line}`)),
  ].join("\n");
}

/** How a target's process ended, and the last that it printed. */
export function targetLines(target: TargetEnd): readonly string[] {
  const { output } = target;
  const said = output.length === 0 ? "and had printed nothing" : "and had printed last";
  return [`target    ${endText(target)}, ${said}`, ...output.map((line) => `  | ${printable(line)}`)];
}
