/** Notation of a time. Two values of one place are times only if both have the same notation. */
export type TimeForm = "s" | "ms" | "us" | "ns" | "text" | "date" | "object";

/** A moment, read from a value. */
export interface Moment {
  /** Milliseconds since 1970, UTC; with a fraction where the value has one. */
  readonly ms: number;
  readonly form: TimeForm;
}

const DAY = 86_400_000;
/** The coarsest first: an offset is the coarsest multiple that fits. */
const GRAINS: readonly number[] = [DAY, 3_600_000, 60_000, 30_000, 10_000, 5_000, 1_000, 500, 100, 50, 10, 1];

/** Limits in each unit, from 2001 until 2128: other numbers are not times. */
const UNITS: readonly (readonly [TimeForm, number, number, number])[] = [
  ["s", 1e9, 5e9, 1_000],
  ["ms", 1e12, 5e12, 1],
  ["us", 1e15, 5e15, 1e-3],
  ["ns", 1e18, 5e18, 1e-6],
];

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;
const DIGITS = /^\d{10,19}$/;

/**
 * Reads a number, a text (ISO 8601 with a `T` or a blank, a date, an HTTP date, digits since the epoch) or a `Date`; `undefined` if it is not a time.
 */
export function momentOf(value: unknown): Moment | undefined {
  if (typeof value === "number" || typeof value === "bigint") return ofNumber(Number(value));
  if (typeof value === "string") return ofText(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return { ms: value.getTime(), form: "object" };
  return undefined;
}

function ofNumber(value: number): Moment | undefined {
  const unit = UNITS.find(([, least, most]) => value >= least && value < most);
  return unit === undefined ? undefined : { ms: value * unit[3], form: unit[0] };
}

function ofText(text: string): Moment | undefined {
  // By far the most strings are not times.
  const first = text.charCodeAt(0);
  if (text.length < 10 || text.length > 40) return undefined;
  if (first >= 0x30 && first <= 0x39) {
    if (DIGITS.test(text)) return ofNumber(Number(text));
    if (DATE.test(text)) return parsed(`${text}T00:00:00Z`, "date");
    const parts = DATE_TIME.exec(text);
    if (parts === null) return undefined;
    const [, day, minutes, seconds = ":00", fraction = "0", zone = "Z"] = parts;
    const offset =
      zone === "Z" ? "Z" : zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
    return parsed(`${day}T${minutes}${seconds}.${fraction.slice(0, 3)}${offset}`, "text");
  }
  return HTTP_DATE.test(text) ? parsed(text, "text") : undefined;
}

function parsed(text: string, form: TimeForm): Moment | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : { ms, form };
}

/** Returns the coarsest of day, second and millisecond that a time is a multiple of, in milliseconds. */
export function resolutionOf({ ms, form }: Moment): number {
  if (form === "date" || ms % DAY === 0) return DAY;
  if (form === "s" || ms % 1_000 === 0) return 1_000;
  return 1;
}

/** Returns the simplest duration between two bounds, in milliseconds: 0, else the smallest multiple of the coarsest of {@link GRAINS} between them. */
export function simplestOffset(least: number, most: number): number {
  if (least <= 0 && most >= 0) return 0;
  if (most < 0) return -simplestOffset(-most, -least);
  for (const grain of GRAINS) {
    const multiple = Math.ceil(least / grain) * grain;
    if (multiple <= most) return multiple;
  }
  return Math.round(least);
}

/** The time in which a step ran, in milliseconds since 1970. */
export interface StepWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/** Largest difference between the clocks of two processes on one machine, read in whole milliseconds. */
const CLOCK_MS = 2;

/** Returns the simplest offset of a time from the step that wrote it. */
export function offsetFromStep(moment: Moment, window: StepWindow, resolutionMs: number): number {
  return simplestOffset(...boundsOfOffset(moment, window, resolutionMs));
}

/** Returns the first of some offsets that a time may have from the step that wrote it; `undefined` if none fits. */
export function fittingOffset(offsets: readonly number[], moment: Moment, window: StepWindow, resolutionMs: number): number | undefined {
  const [least, most] = boundsOfOffset(moment, window, resolutionMs);
  return offsets.find((offset) => offset >= least && offset <= most);
}

function boundsOfOffset({ ms }: Moment, { startMs, endMs }: StepWindow, resolutionMs: number): [least: number, most: number] {
  const slack = resolutionMs + CLOCK_MS;
  return [ms - endMs - slack, ms - startMs + slack];
}

/** Returns a duration for people: `10 min`, `1 h 30 min`. */
export function durationText(ms: number): string {
  const parts: string[] = [];
  let rest = Math.abs(ms);
  for (const [unit, name] of [
    [DAY, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
    [1, "ms"],
  ] as const) {
    const count = Math.floor(rest / unit);
    if (count > 0) parts.push(`${count} ${name}`);
    rest -= count * unit;
  }
  return parts.length === 0 ? "0" : parts.join(" ");
}
