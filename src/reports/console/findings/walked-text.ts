import { SHORT_ID } from "../../../model/results/state-id.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../../../model/results/walked.ts";
import { cut, printable } from "../text/printable.ts";
import type { Colours } from "../text/colours.ts";
import { duration } from "../text/numbers.ts";
import { readableChanges } from "../text/readable-changes.ts";

/** The largest number of characters that are shown of a request or response body. */
const BODY = 500;

/** The style in which steps are shown. */
export interface WalkedStyle {
  readonly colours: Colours;
  readonly verbose: boolean;
}

/**
 * Returns lines for a step that the user executed by hand: the requests with their answers, the changes, and the results of the rules. All frames of
 * an error are shown if `verbose` is `true`, else only the first.
 */
export function walkedLines(number: number, step: WalkedStep, { colours, verbose }: WalkedStyle): readonly string[] {
  const { action, kind, message, requests, changes, errors } = step;
  // Do not repeat the message of an error that is listed below with its source line.
  const failed = errors.some((error) => error.message === message) ? "failed" : `failed: ${message}`;
  const end = { executed: "", skipped: "does not apply here", failed, lost: `got no answer: ${message}` }[kind];
  return [
    `${colours.bold(`${number}. ${printable(action)}`)}${end === "" ? "" : `  ${colours.yellow(printable(end))}`}`,
    ...requests.flatMap(({ request, response, error, durationMs }) => [
      `   ${printable(`${request.method} ${request.url}`)}${bodyText(request.body)}`,
      response === undefined
        ? `   -> ${printable(error ?? "no answer")}`
        : `   -> ${response.status} in ${duration(durationMs)}${bodyText(response.body)}`,
    ]),
    ...readableChanges(changes).map((line) => `   ${(line.startsWith("-") ? colours.red : colours.green)(printable(line))}`),
    ...(kind === "executed" && changes.length === 0 ? ["   nothing changed"] : []),
    ...judgedLines(step, { colours, verbose }),
  ];
}

export function judgedLines({ held, broken, errors }: WalkJudged, { colours, verbose }: WalkedStyle): readonly string[] {
  return [
    ...broken
      .map(({ invariant, severity, message }) => printable(`   ✗ [${severity.toUpperCase()}] ${invariant}: ${message}`))
      .map((line) => colours.red(line)),
    ...errors.flatMap(({ source, message, where, stack }) => [
      colours.yellow(printable(`   ? ${source}: ${message}`)),
      ...(verbose && stack !== undefined ? framesOf(stack) : where === undefined ? [] : [`at ${where}`]).map(
        (line) => `     ${printable(line)}`,
      ),
    ]),
    ...(held.length === 0 ? [] : [`   ${colours.green("✓")} ${printable(held.join(", "))}`]),
  ];
}

export function placeLines({ id, changes, applicable }: WalkPlace, all: readonly string[], colours: Colours): readonly string[] {
  return [
    colours.bold(`State ${id.slice(0, SHORT_ID)}, compared with the root state`),
    ...changes.map((line) => `   ${printable(line)}`),
    ...(changes.length === 0 ? ["   (equal)"] : []),
    `Next, ${applicable.length} of ${all.length} actions apply: ${printable(applicable.join(", ")) || "none"}`,
  ];
}

/** Returns the lines of a stack trace that name a place in code, without the message before them. */
function framesOf(stack: string): readonly string[] {
  return stack.split("\n").flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
}

function bodyText(body: string | undefined): string {
  if (body === undefined || body === "") return "";
  return `  ${printable(cut(body, BODY))}`;
}
