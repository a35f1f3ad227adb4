import { SHORT_ID } from "../../model/results/state-id.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../../model/results/walked.ts";
import { cut, printable } from "./printable.ts";
import type { Colours } from "./colours.ts";
import { duration } from "./numbers.ts";

/** The largest number of characters that are shown of a request or response body. */
const BODY = 500;

/** Returns lines for a step that the user executed by hand: the requests with their answers, the changes, and the results of the rules. */
export function walkedLines(number: number, step: WalkedStep, colours: Colours): readonly string[] {
  const { action, kind, message, requests, changes } = step;
  const end = { executed: "", skipped: "does not apply here", failed: `failed: ${message}`, lost: `got no answer: ${message}` }[kind];
  return [
    `${colours.bold(`${number}. ${printable(action)}`)}${end === "" ? "" : `  ${colours.yellow(printable(end))}`}`,
    ...requests.flatMap(({ request, response, error, durationMs }) => [
      `   ${printable(`${request.method} ${request.url}`)}${bodyText(request.body)}`,
      response === undefined
        ? `   -> ${printable(error ?? "no answer")}`
        : `   -> ${response.status} in ${duration(durationMs)}${bodyText(response.body)}`,
    ]),
    ...changes.map((line) => `   ${(line.startsWith("-") ? colours.red : colours.green)(printable(line))}`),
    ...(kind === "executed" && changes.length === 0 ? ["   nothing changed"] : []),
    ...judgedLines(step, colours),
  ];
}

export function judgedLines({ held, broken, errors }: WalkJudged, colours: Colours): readonly string[] {
  return [
    ...broken
      .map(({ invariant, severity, message }) => printable(`   ✗ [${severity.toUpperCase()}] ${invariant}: ${message}`))
      .map((line) => colours.red(line)),
    ...errors.flatMap(({ source, message, where }) => [
      colours.yellow(printable(`   ? ${source}: ${message}`)),
      ...(where === undefined ? [] : [`     at ${printable(where)}`]),
    ]),
    ...(held.length === 0 ? [] : [`   ${colours.green("✓")} ${printable(held.join(", "))}`]),
  ];
}

export function placeLines({ id, lines, applicable }: WalkPlace, all: readonly string[], colours: Colours): readonly string[] {
  return [
    colours.bold(`State ${id.slice(0, SHORT_ID)}`),
    ...lines.map((line) => `   ${printable(line)}`),
    ...(lines.length === 0 ? ["   (equal to the root state)"] : []),
    `Next, ${applicable.length} of ${all.length} actions apply: ${printable(applicable.join(", ")) || "none"}`,
  ];
}

function bodyText(body: string | undefined): string {
  if (body === undefined || body === "") return "";
  return `  ${printable(cut(body, BODY))}`;
}
