import type { JourneyResult, StepResult, StepStatus } from "../../model/results/journey-result.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { Colours } from "./text/colours.ts";
import { duration, plural } from "./text/numbers.ts";
import { cut, printable, printableLines } from "./text/printable.ts";

const MARKS: Readonly<Record<StepStatus, string>> = { passed: "ok", failed: "FAILED", timed_out: "TIMED OUT", skipped: "skipped" };
const MARK = 10;
/** The largest number of characters that are shown of a request or response body. */
const BODY = 500;

/**
 * Returns lines for a journey that has ended: its steps, and the last request and answer of a step that failed or timed out. If `verbose` is `true`,
 * the lines contain all requests of all steps.
 */
export function journeyLines(name: string, result: JourneyResult, colours: Colours, verbose: boolean): readonly string[] {
  const width = Math.min(60, Math.max(0, ...result.steps.map((step) => printable(step.name).length)));
  return [
    colours.bold(printable(name)),
    ...result.steps.flatMap((step) => [stepLine(step, width, colours), ...stepDetails(step, verbose)]),
    verdict(result, colours),
    "",
  ];
}

function stepLine({ name, status, durationMs }: StepResult, width: number, colours: Colours): string {
  const colour = { passed: colours.green, failed: colours.red, timed_out: colours.red, skipped: colours.dim }[status];
  const line = `  ${colour(MARKS[status].padEnd(MARK))} ${printable(name)}`;
  return status === "skipped"
    ? line
    : `${line}${" ".repeat(Math.max(0, width - printable(name).length))}  ${colours.dim(duration(durationMs))}`;
}

function stepDetails(step: StepResult, verbose: boolean): readonly string[] {
  const ended = step.status === "failed" || step.status === "timed_out";
  const error = ended && step.error !== undefined ? printableLines(step.error).split("\n") : [];
  const last = step.requests.at(-1);
  const exchanges = verbose ? step.requests : ended && last !== undefined ? [last] : [];
  const where = ended && step.where !== undefined ? [`where     ${printable(step.where)}`] : [];
  return [...error, ...exchanges.flatMap(exchangeLines), ...where].map((line) => `${" ".repeat(MARK + 3)}${line}`);
}

function exchangeLines({ request, response, error }: RecordedExchange): readonly string[] {
  const sent = printable(`${request.method} ${request.url}`.trim());
  const answer = response === undefined ? `none${error === undefined ? "" : `: ${error}`}` : `${response.status} ${response.body}`;
  return [`request   ${sent}`, `response  ${printable(cut(answer, BODY))}`.trimEnd()];
}

function verdict({ status, steps, durationMs, interrupted }: JourneyResult, colours: Colours): string {
  const took = `${plural(steps.length, "step")}, ${duration(durationMs)}`;
  if (interrupted) return `  ${colours.yellow("interrupted")} (${took})`;
  return `  ${status === "passed" ? colours.green("passed") : colours.red(status.replace("_", " "))} (${took})`;
}
