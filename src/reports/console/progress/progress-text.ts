import type { Confirming, Faulting, Progress, Racing } from "../../../engine/events.ts";
import { duration, grouped, plural } from "../text/numbers.ts";
import { printable } from "../text/printable.ts";

/** Milliseconds after which the mean speed of a run can be used for an estimate. */
const MEANINGFUL = 3000;

/** With more lanes than this, lanes are not shown on separate lines. */
const LANES = 8;

export interface ProgressShape {
  readonly verbose: boolean;
  /** The width of the terminal in columns. */
  readonly width: number;
}

/** Returns the progress of an exploration as one line. With `verbose`, one line for each lane follows. */
export function progressLines(name: string, progress: Progress, { verbose, width }: ProgressShape): readonly string[] {
  const { checksLeft } = progress;
  const left = checksLeft === null ? timeLeft(progress) : undefined;
  const parts = [
    printable(name),
    `${grouped(progress.states)} states`,
    `${grouped(progress.steps)}/${grouped(progress.maxSteps)} steps`,
    ...(checksLeft === null ? [`${grouped(progress.stepsPerSecond)}/s`, `frontier ${grouped(progress.frontier)}`] : []),
    `depth ${grouped(progress.depth)}`,
    `violations ${grouped(progress.violations)}`,
    ...(checksLeft === null ? [] : [`checking the result, ${plural(checksLeft, "path")} to execute again`]),
    ...(left === undefined ? [] : [`at most ${duration(left)} to explore`]),
  ];
  return [parts.join("  "), ...(verbose ? laneLines(progress) : [])].map((line) => fit(line, width));
}

/** Returns one line about the progress of the search for races, which follows the exploration. */
export function racingText({ probed, planned, trials, hits }: Racing, leftMs?: number): string {
  return `probing races  ${grouped(probed)}/${grouped(planned)} kinds of pairs  ${plural(trials, "trial")}  races ${grouped(hits)}${leftText(leftMs)}`;
}

/** Returns one line about the progress of injecting faults, which follows the exploration. */
export function faultingText({ probed, planned, tried, hits }: Faulting, leftMs?: number): string {
  return `making writes fail  ${grouped(probed)}/${grouped(planned)} kinds of calls  ${plural(tried, "fault")}  hits ${grouped(hits)}${leftText(leftMs)}`;
}

function leftText(leftMs: number | undefined): string {
  return leftMs === undefined ? "" : `  about ${duration(leftMs)} left`;
}

/** Returns one line about the progress of confirming findings by replays, which follows the exploration. */
export function confirmingText({ violations, replayed, confirmed, toShorten, leftMs }: Confirming, estimateMs?: number): string {
  const parts = [
    "confirming findings",
    `${grouped(replayed)}/${grouped(violations)} replayed`,
    `${grouped(confirmed)} confirmed`,
    ...(toShorten > 0 && replayed >= violations ? [`${plural(toShorten, "path")} to shorten`] : []),
    ...(leftMs !== null && leftMs < (estimateMs ?? Infinity) ? [`at most ${duration(leftMs)} left`] : []),
  ];
  return parts.join("  ") + (leftMs === null || leftMs >= (estimateMs ?? Infinity) ? leftText(estimateMs) : "");
}

/** Returns one line for each lane: the share of time in which it executed steps, its number of steps, and how often it was rebuilt. */
function laneLines({ laneUse, laneSteps, laneRebuilds }: Progress): readonly string[] {
  const lines = laneUse.slice(0, LANES).map((use, lane) => {
    const rebuilds = laneRebuilds[lane] ?? 0;
    const rebuilt = rebuilds === 0 ? "" : `  rebuilt ${plural(rebuilds, "time")}`;
    return `  lane ${lane}  ${percent(use)} at work  ${plural(laneSteps[lane] ?? 0, "step")}${rebuilt}`;
  });
  const more = laneUse.slice(LANES);
  if (more.length === 0) return lines;
  const mean = more.reduce((sum, use) => sum + use, 0) / more.length;
  return [...lines, `  ${plural(more.length, "lane")} more  ${percent(mean)} at work`];
}

const percent = (share: number): string => `${Math.round(share * 100)}%`.padStart(4);

/** Cuts a text to a number of columns. Characters from U+1100 on are counted as two columns, because some of them are wide on terminals. */
function fit(text: string, width: number): string {
  let columns = 0;
  let kept = "";
  for (const character of text) {
    columns += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
    if (columns > width) break;
    kept += character;
  }
  return kept;
}

/**
 * Returns an estimate of the milliseconds until the limit of steps or time is reached; `undefined` at the beginning of a run. The exploration may end
 * earlier, when all states are expanded.
 */
function timeLeft({ elapsedMs, steps, stepsPerSecond, maxSteps, maxTimeMs }: Progress): number | undefined {
  if (elapsedMs < MEANINGFUL) return undefined;
  const bySteps = steps > 0 && stepsPerSecond > 0 ? (Math.max(0, maxSteps - steps) * elapsedMs) / steps : Infinity;
  const byTime = maxTimeMs === null ? Infinity : Math.max(0, maxTimeMs - elapsedMs);
  const left = Math.min(bySteps, byTime);
  return Number.isFinite(left) ? left : undefined;
}
