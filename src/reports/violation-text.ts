import type { Violation } from "../model/result.ts";
import { cut, printable } from "./printable.ts";

/** How many characters of a response body are shown. */
const BODY = 500;

/** What `violation.toString()` returns: a few lines for people, safe to print. */
export function violationText(violation: Omit<Violation, "toString">): string {
  const { severity, invariant, message, reproductionPath, request, response, confirmed } = violation;
  const flaky = confirmed ? "" : " (flaky: not seen again from a clean start)";
  const path = reproductionPath.length === 0 ? "(the initial state)" : reproductionPath.join(" -> ");
  return [
    `[${severity.toUpperCase()}] ${printable(invariant)}${flaky}`,
    `  ${printable(message)}`,
    `  path      ${printable(path)}`,
    ...(request === undefined ? [] : [`  request   ${printable(`${request.method} ${request.url}`.trim())}`]),
    ...(response === undefined ? [] : [`  response  ${response.status} ${printable(cut(response.body, BODY))}`.trimEnd()]),
  ].join("\n");
}
