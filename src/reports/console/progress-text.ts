import type { Confirming, Faulting, Progress, Racing } from "../../engine/events.ts";
import { duration, grouped, plural } from "./numbers.ts";
import { printable } from "./printable.ts";

/** Milliseconds before the rate of a run is meaningful. */
const MEANINGFUL = 3000;

/** The largest number of lanes that are shown on separate lines. */
const LANES = 8;

export interface ProgressShape {
  readonly verbose: boolean;
  /** The width of a line, in columns. */
  readonly width: number;
}

/** Returns the progress of an exploration as one line, plus one line for each lane with `verbose`. */
export function progressLines(name: string, progress: Progress, { verbose, width }: ProgressShape): readonly string[] {
  const left = timeLeft(progress);
  const parts = [
    printable(name),
    `${grouped(progress.states)} states`,
    `${grouped(progress.steps)}/${grouped(progress.maxSteps)} steps`,
    `${grouped(progress.stepsPerSecond)}/s`,
    `frontier ${grouped(progress.frontier)}`,
    `depth ${grouped(progress.depth)}`,
    `violations ${grouped(progress.violations)}`,
    ...(left === undefined ? [] : [`at most ${duration(left)} to explore`]),
  ];
  return [parts.join("  "), ...(verbose ? laneLines(progress) : [])].map((line) => fit(line, width));
}

/** Returns the progress of race probing, which follows the exploration. It executes actions of one state at the same time. */
export function racingText({ probed, planned, trials, hits }: Racing, leftMs?: number): string {
  return `probing races  ${grouped(probed)}/${grouped(planned)} kinds of pairs  ${plural(trials, "trial")}  races ${grouped(hits)}${leftText(leftMs)}`;
}

/** Returns the progress of fault injection, which follows the exploration. It makes writes of calls fail. */
export function faultingText({ probed, planned, tried, hits }: Faulting, leftMs?: number): string {
  return `making writes fail  ${grouped(probed)}/${grouped(planned)} kinds of calls  ${plural(tried, "fault")}  hits ${grouped(hits)}${leftText(leftMs)}`;
}

function leftText(leftMs: number | undefined): string {
  return leftMs === undefined ? "" : `  about ${duration(leftMs)} left`;
}

/** Returns the progress of confirming findings, which follows the exploration. It replays the findings. */
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

/** Returns one line for each lane: the share of time in which it worked, its number of steps, and how often it was rebuilt. */
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

/** Cuts a text to a number of columns. Characters from U+1100 on count as two columns, so that a line never wraps. */
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
 * Returns the milliseconds until a budget is used up, at the mean rate so far; `undefined` before that rate is meaningful. The result is an upper
 * bound, because the states may be exhausted before the budget.
 */
function timeLeft({ elapsedMs, steps, stepsPerSecond, maxSteps, maxTimeMs }: Progress): number | undefined {
  if (elapsedMs < MEANINGFUL) return undefined;
  const bySteps = steps > 0 && stepsPerSecond > 0 ? (Math.max(0, maxSteps - steps) * elapsedMs) / steps : Infinity;
  const byTime = maxTimeMs === null ? Infinity : Math.max(0, maxTimeMs - elapsedMs);
  const left = Math.min(bySteps, byTime);
  return Number.isFinite(left) ? left : undefined;
}
