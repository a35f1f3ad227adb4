import type { RecordedExchange, RecordedStep } from "../../../model/results/result.ts";
import type { Colours } from "../text/colours.ts";
import { cut, printable } from "../text/printable.ts";

/** `ACTION`, `REQUEST`: the largest numbers of characters in the columns `action` and `request`. */
const ACTION = 40;
const REQUEST = 90;

export interface ReplayedSteps {
  readonly path: readonly string[];
  readonly recorded: readonly (RecordedStep | undefined)[];
  readonly observed: readonly (RecordedStep | undefined)[];
  /** The index of the first step that is shown, from 0. */
  readonly from: number;
  /**
   * The index of the first step that runs at the same time as all later steps. In the table, all these steps have the same number. Absent if no steps
   * run at the same time.
   */
  readonly together?: number;
}

/**
 * Returns a table that compares the requests of a replay with the recorded requests. Each request has one line. A step without requests has one
 * line, too.
 */
export function replayTable(steps: ReplayedSteps, colours: Colours): readonly string[] {
  const { path, recorded, observed, from, together = path.length } = steps;
  const rows = path.flatMap((action, step) =>
    step < from ? [] : rowsOf(step < together ? step : together, action, recorded[step], observed[step]),
  );
  const head = ["step", "action", "request", "recorded", "observed"] as const;
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  return [
    colours.dim(line(head)),
    ...rows.map((row) => {
      const differs = row[3] !== row[4] && row[3] !== "-";
      return differs ? colours.yellow(line(row)) : line(row);
    }),
  ];
}

function rowsOf(
  step: number,
  action: string,
  recorded: RecordedStep | undefined,
  observed: RecordedStep | undefined,
): readonly (readonly string[])[] {
  const [before, now] = [recorded?.requests ?? [], observed?.requests ?? []];
  const count = Math.max(before.length, now.length, 1);
  return Array.from({ length: count }, (_, index) => {
    const exchange = now[index] ?? before[index];
    const ofStep = (one: RecordedStep | undefined): string => (one === undefined ? "-" : String(one.status ?? "none"));
    // If the requests of a step are unknown, show the status of the step.
    const alone = count === 1;
    return [
      index === 0 ? String(step + 1) : "",
      index === 0 ? cut(printable(action), ACTION) : "",
      exchange === undefined ? "-" : cut(printable(requestText(exchange)), REQUEST),
      before[index] === undefined && alone ? ofStep(recorded) : statusText(before[index]),
      now[index] === undefined && alone ? ofStep(observed) : statusText(now[index]),
    ];
  });
}

function requestText({ request: { method, url } }: RecordedExchange): string {
  return `${method} ${/^https?:/.test(url) ? url.replace(/^https?:\/\/[^/?#]*/, "") || "/" : url}`.trim() || "-";
}

function statusText(exchange: RecordedExchange | undefined): string {
  if (exchange === undefined) return "-";
  return exchange.response === undefined ? "none" : String(exchange.response.status);
}
