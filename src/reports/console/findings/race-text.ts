import type { Race, RaceCall, RaceOutcome } from "../../../model/results/result.ts";
import { differences } from "../../../state/compare/differences.ts";
import { grouped, plural } from "../text/numbers.ts";
import { cut, printable } from "../text/printable.ts";
import { readableChanges, withoutRowSign } from "../text/readable-changes.ts";

/** `BODY`: the largest number of characters that are shown of a response body. `CHANGES`: the largest number of changed lines that are shown. */
const BODY = 500;
const CHANGES = 12;
/** If a race has more calls than this, their number is shown instead of their names. */
const NAMED = 4;

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

type Sides = Pick<Race, "first" | "second" | "copies">;

/** Returns the text of `race.toString()`: a few lines for people, safe to print. */
export function raceText(race: Omit<Race, "toString">): string {
  const { severity, message, prefix, observed, allowed, schedule, known } = race;
  const listed = known === true ? " (known)" : "";
  const row = (word: string, text: string): string => `  ${word.padEnd(9)} ${printable(text)}`.trimEnd();
  const changes = (lines: readonly string[]): readonly string[] => shownChanges(lines).map((line) => `            ${printable(line)}`);
  return [
    `[${severity.toUpperCase()}] ${printable(raceName(race))}${listed}`,
    `  ${printable(message)}`,
    row("race", `${verdictText(race)}, ${rateText(race)}`),
    ...(schedule === undefined ? [] : [row("schedule", scheduleText(race)!)]),
    row("path", [...prefix, `(${raceName(race)})`].join(" -> ")),
    ...shownCalls(observed.calls).map(({ name, call }) => row(name, callText(call))),
    ...(observed.calls.length > NAMED ? [row("", `and ${plural(observed.calls.length - NAMED, "call")} more`)] : []),
    row("observed", outcomeText(race, observed)),
    ...changes(observed.changes),
    ...distinctOutcomes(race, allowed).flatMap((outcome) => [row("allowed", outcomeText(race, outcome)), ...changes(outcome.changes)]),
    ...differing(race).map((line) => row("differs", line)),
  ].join("\n");
}

/**
 * Returns the changes that differ between the race and the most similar order of the calls. Each line says if the change belongs to the race or to
 * the order.
 */
function differing(race: Omit<Race, "toString">): readonly string[] {
  const { observed } = race;
  const nearest = distinctOutcomes(race, race.allowed)
    .map((outcome) => ({ outcome, lines: differences(outcome.changes, observed.changes, CHANGES) }))
    .toSorted((a, b) => a.lines.length - b.lines.length)[0];
  if (nearest === undefined) return [];
  const order = orderText(race, nearest.outcome);
  return nearest.lines.map((line) => {
    const change = withoutRowSign(line.slice(2)).replace(/^[+-] /, (sign) => (sign === "- " ? "without " : ""));
    return line.startsWith("- ") ? `${order}: ${change}` : line.startsWith("+ ") ? `observed: ${change}` : line;
  });
}

/** Returns the name of a race: `pay_order || cancel_order`; with more than two calls, `redeem_coupon, 5 at once`. */
export function raceName({ first, second, copies }: Sides): string {
  return copies > 2 ? `${first}, ${copies} at once` : `${first} || ${second}`;
}

export function verdictText({ verdict, invariant }: Pick<Race, "verdict" | "invariant">): string {
  if (verdict === "invariant") return `invariant ${invariant ?? ""}`.trim();
  return verdict.replace("_", " ");
}

/** Returns a text that says how often the race occurred, with a confidence interval, and by which delivery the calls were sent. */
export function rateText({ hits, trials, misses, rate, delivery, schedule }: Race): string {
  const seen = `${grouped(hits)} of ${plural(trials, "trial")}`;
  const missed = misses === 0 ? "" : `, ${grouped(misses)} more did not overlap`;
  // With a schedule, a store holds one call in every trial, so the result does not depend on chance, and a confidence interval would mean nothing.
  const interval = schedule === undefined ? ` (95 % between ${percent(rate.low)} and ${percent(rate.high)})` : "";
  return `${seen}${interval}${missed}, ${deliveryText(delivery)}`;
}

export const deliveryText = (delivery: string): string => ({ http2: "HTTP/2", last_byte: "last byte" })[delivery] ?? delivery;

/** Describes the schedule of a race: which call was held, before which of its writes, and until when; `undefined` without a schedule. */
export function scheduleText(race: Pick<Race, "schedule"> & Sides): string | undefined {
  const { schedule } = race;
  if (schedule === undefined) return undefined;
  const { system, held, write, statement } = schedule;
  const others = race.copies > 2 ? "the others are" : `${sideName(race, held === 0 ? 1 : 0)} is`;
  return `${sideName(race, held)} is held before its write ${write} (${statement}, in ${system}) until ${others} done or waits for the held call`.replace(
    "are done or waits",
    "are done or wait",
  );
}

/** Returns the name of one of the two calls. If both calls are of the same action, a number distinguishes the calls. */
function sideName({ first, second, copies }: Sides, side: number): string {
  const own = side === 0 || copies > 2 ? first : second;
  return first === second ? `the ${ordinal(side)} ${own}` : own;
}

export const ordinal = (side: number): string => ORDINALS[side] ?? `call ${side + 1}`;

/**
 * Returns one line for an outcome: the order of the calls, their HTTP statuses and the broken rules, e.g. `pay_order, then cancel_order: 200, 409`.
 */
export function outcomeText(race: Sides, { order, calls, broken }: RaceOutcome): string {
  const sides = order ?? calls.map((_, side) => side);
  const statuses = sides.map((side) => statusText(calls[side]?.status));
  return `${orderText(race, { order, calls })}: ${statuses.join(", ")}${broken.length === 0 ? "" : `; breaks ${broken.join(", ")}`}`;
}

export function orderText({ first, second }: Sides, { order, calls }: Pick<RaceOutcome, "order" | "calls">): string {
  if (order === null) return "at the same time";
  if (order.length > NAMED) return `${first}, ${order.length} times one after the other`;
  return order.map((side) => calls[side]?.action ?? (side === 0 ? first : second)).join(", then ");
}

export const statusText = (status: number | null | undefined): string =>
  status === null || status === undefined ? "no answer" : String(status);

/**
 * Returns the outcomes without repetitions: of several outcomes with equal text and equal changes, only the first. If all calls of a race are of the
 * same action, most orders are repetitions.
 */
export function distinctOutcomes(race: Sides, outcomes: readonly RaceOutcome[]): readonly RaceOutcome[] {
  const seen = new Map<string, RaceOutcome>();
  for (const outcome of outcomes) {
    const key = JSON.stringify([outcomeText(race, outcome), outcome.changes]);
    if (!seen.has(key)) seen.set(key, outcome);
  }
  return [...seen.values()];
}

function shownCalls(calls: readonly RaceCall[]): readonly { readonly name: string; readonly call: RaceCall }[] {
  return calls.slice(0, NAMED).map((call, side) => ({ name: ordinal(side), call }));
}

function callText({ action, status, requests }: RaceCall): string {
  const last = requests.at(-1);
  if (last === undefined) return `${action} -> ${statusText(status)}`;
  const { request, response, error } = last;
  const answer = response === undefined ? (error ?? "no answer") : `${response.status} ${cut(response.body, BODY)}`.trimEnd();
  return `${`${request.method} ${request.url}`.trim()} -> ${answer}`;
}

/** Returns the first lines of a change for people, and a last line that says how many lines were left out. */
export function shownChanges(changes: readonly string[]): readonly string[] {
  const lines = readableChanges(changes);
  if (lines.length === 0) return ["(the state did not change)"];
  const left = lines.length - CHANGES;
  return left > 0 ? [...lines.slice(0, CHANGES), `... ${plural(left, "line")} more`] : lines;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
