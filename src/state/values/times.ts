/** The notation of a time. Two values at one place are compared as times only if they have the same notation. */
export type TimeForm = "s" | "ms" | "us" | "ns" | "text" | "date" | "object";

export interface Moment {
  /** Milliseconds since 1970, UTC. May have a fraction. */
  readonly ms: number;
  readonly form: TimeForm;
  /** `true` for a text with a time of day but without a time zone. It is read as UTC, but may be local time. */
  readonly isNaive?: true;
}

const DAY = 86_400_000;
const MINUTE = 60_000;
const SECOND = 1_000;
/** The units, in milliseconds, in which offsets are expressed. The first unit that fits is used, so offsets are as round as possible. */
const GRAINS: readonly number[] = [DAY, 3_600_000, 60_000, 30_000, 10_000, 5_000, 1_000, 500, 100, 50, 10, 1];

/** For each unit: the range of numbers that count as times (from 2001 until 2128), and the factor to milliseconds. */
const UNITS: readonly (readonly [TimeForm, number, number, number])[] = [
  ["s", 1e9, 5e9, 1_000],
  ["ms", 1e12, 5e12, 1],
  ["us", 1e15, 5e15, 1e-3],
  ["ns", 1e18, 5e18, 1e-6],
];

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** Matches dates of HTTP and mails, `String(new Date())`, and dates of `ctime`, which have no zone. */
const WITH_NAMES =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:, \d\d \w{3} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})| \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}(?: \([^()]+\))?| (\w{3} [ \d]\d) (\d\d:\d\d:\d\d) (\d{4}))$/;
/** Matches a date and time in the notation of a language, with the year at the end or at the beginning of the date. */
const IN_LANGUAGE = /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4}),?\s(\d{1,2})(:\d\d:\d\d)(?:[.,](\d{1,9}))?(?:\s([AP])M)?$/;
/** Matches a time since 1970. Only seconds can have a fraction. */
const DIGITS = /^(?:\d{10,19}|\d{10}\.\d{1,9})$/;

/**
 * The largest usual distance of a generated time from the present. A time that is further away is given data, or a number that looks like a time by
 * chance.
 */
export const FURTHEST_MS: number = 400 * 86_400_000;

/**
 * Reads a time from a number, a `Date`, or a text: ISO 8601 with a `T` or a blank, a date, an HTTP date, digits since 1970
 * (`1795000000.483920`), or a date and time with seconds in the notation of a language (`27/11/2026, 09:05:07`, `11/27/2026, 9:05:07 AM`).
 * `undefined` if the value is not a time.
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
  // Return early for most strings: only strings that begin like a time are parsed.
  const first = text.charCodeAt(0);
  if (text.length < 10 || text.length > 80) return undefined;
  if (first >= 0x30 && first <= 0x39) {
    if (DIGITS.test(text)) return ofNumber(Number(text));
    if (DATE.test(text)) return parsed(`${text}T00:00:00Z`, "date");
    const parts = DATE_TIME.exec(text);
    if (parts === null) return inLanguage(text);
    const [, day, minutes, seconds = ":00", fraction = "0", zone = "Z"] = parts;
    const offset =
      zone === "Z" ? "Z" : zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
    const moment = parsed(`${day}T${minutes}${seconds}.${fraction.slice(0, 3)}${offset}`, "text");
    return parts[5] === undefined ? naive(moment) : moment;
  }
  const named = WITH_NAMES.exec(text);
  if (named === null) return undefined;
  const [, day, time, year] = named;
  return day === undefined ? parsed(text, "text") : naive(parsed(`${day} ${year} ${time} GMT`, "text"));
}

/**
 * Reads a date and time in the notation of a language. Unless the year is the first number, the day comes before the month. The month comes first in
 * a time with AM or PM, or if the second number is above 12.
 */
function inLanguage(text: string): Moment | undefined {
  const [, first = "", , second = "", third = "", hours, rest, fraction = "0", half] = IN_LANGUAGE.exec(text) ?? [];
  const isYearFirst = first.length === 4;
  if (isYearFirst ? third.length > 2 : third.length !== 4 || first.length > 2) return undefined;
  const isMonthFirst = Number(second) > 12 || (half !== undefined && Number(first) <= 12);
  const [year, month, day] = isYearFirst ? [first, second, third] : isMonthFirst ? [third, first, second] : [third, second, first];
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "P" ? 12 : 0);
  const [mm, dd, hh] = [month, day, hour].map((one) => String(one).padStart(2, "0"));
  return naive(parsed(`${year}-${mm}-${dd}T${hh}${rest}.${fraction.slice(0, 3)}Z`, "text"));
}

function naive(moment: Moment | undefined): Moment | undefined {
  return moment && { ...moment, isNaive: true };
}

function parsed(text: string, form: TimeForm): Moment | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : { ms, form };
}

/**
 * Returns the resolution of a time in milliseconds: the largest of a day, an hour, a minute, a second and a millisecond of which the time is a
 * multiple, in UTC or in the time zone of this machine.
 */
export function resolutionOf({ ms, form }: Moment): number {
  if (form === "date") return DAY;
  if (ms % 1_000 !== 0) return 1;
  const localMs = localZone(ms);
  return [DAY, 3_600_000, MINUTE].find((unit) => ms % unit === 0 || (ms + localMs) % unit === 0) ?? 1_000;
}

/**
 * Returns the simplest duration between two bounds, in milliseconds: 0 if possible, else the smallest multiple of the largest possible unit in {@link
 * GRAINS}.
 */
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

/** The largest difference between the clocks of two processes on one machine, in milliseconds. */
const CLOCK_MS = 2;

/** The least and the greatest number of milliseconds between a time and the step that wrote it. */
type Bounds = readonly [least: number, most: number];

export function offsetFromStep(moment: Moment, window: StepWindow, resolutionMs: number): number {
  return simplestOffset(...boundsOfOffset(moment, window, upMs(resolutionMs), resolutionMs));
}

/**
 * Returns that of the given offsets which is possible for a time, if the time was written during the given window; `undefined` if none is possible.
 * Returns the first of several. In whole seconds, offsets that are possible if the fraction was dropped come before those that are possible if the
 * time was rounded, and of several, the one in the middle of the possible offsets is returned, because it fits a write in the middle of the step.
 */
export function fittingOffset(offsets: readonly number[], moment: Moment, window: StepWindow, resolutionMs: number): number | undefined {
  const [least, most] = boundsOfOffset(moment, window, upMs(resolutionMs), resolutionMs);
  const possible = offsets.filter((offset) => offset >= least && offset <= most);
  if (possible.length < 2 || resolutionMs !== SECOND || isLong(window)) return possible[0];
  const cut = boundsOfOffset(moment, window, 0, SECOND);
  const ofCut = possible.filter((offset) => offset >= cut[0] && offset <= cut[1]);
  const [all, middle] = ofCut.length > 0 ? [ofCut, (cut[0] + cut[1]) / 2] : [possible, (least + most) / 2];
  // At the very beginning of a second, two offsets are equally near. The lower one is right, because the fraction that was dropped is not negative.
  return all.toSorted((a, b) => a - b).reduce((best, one) => (Math.abs(one - middle) < Math.abs(best - middle) ? one : best));
}

/** An offset that times in whole seconds have in common. */
export interface SharedOffset {
  readonly offset: number;
  /** `true` if the offset is a second less if the times were rounded. */
  readonly isOpen: boolean;
}

/**
 * Returns the offset of times in whole seconds that equal steps wrote, each in its own window. The times show it if their fractions were dropped, or
 * if all were rounded, or in both cases alike. Otherwise, a simple duration is more likely. Returns `undefined` if no offset fits all times, or if a
 * step took long.
 */
export function sharedSeconds(times: readonly (readonly [Moment, StepWindow])[]): SharedOffset | undefined {
  if (times.some(([, window]) => isLong(window))) return undefined;
  const within = (up: number, down: number): Bounds => {
    const all = times.map(([moment, window]) => boundsOfOffset(moment, window, up, down));
    return [Math.max(...all.map(([least]) => least)), Math.min(...all.map(([, most]) => most))];
  };
  const cut = within(0, SECOND);
  const rounded = within(SECOND / 2, SECOND / 2);
  const [whenCut, whenRounded] = [cut, rounded].map(([least, most]) =>
    Math.ceil(least / SECOND) * SECOND > most ? undefined : simplestOffset(least, most),
  );
  const offset = whenCut ?? whenRounded;
  if (offset === undefined) return undefined;
  if (whenCut === undefined || whenRounded === undefined || whenCut === whenRounded) return { offset, isOpen: false };
  const simplest = simplestOffset(Math.min(cut[0], rounded[0]), Math.max(cut[1], rounded[1]));
  return simplest % MINUTE === 0 ? { offset: simplest, isOpen: false } : { offset, isOpen: true };
}

/** Returns `true` if a step took so long that a time in whole seconds hardly shows its offset. */
function isLong({ startMs, endMs }: StepWindow): boolean {
  return endMs - startMs > SECOND / 2;
}

function boundsOfOffset({ ms }: Moment, { startMs, endMs }: StepWindow, up: number, down: number): Bounds {
  return [ms - endMs - up - CLOCK_MS, ms - startMs + down + CLOCK_MS];
}

/**
 * Returns, in milliseconds, by how much a time with the given resolution may be ahead of the exact time, because some stores round to the nearest
 * second, and the clocks of some stores are fast. Times in whole minutes, hours or days are always truncated.
 */
function upMs(resolutionMs: number): number {
  return resolutionMs < MINUTE ? resolutionMs : 0;
}

/**
 * Returns, in milliseconds, by how much a time is ahead of UTC: the offset of this machine's time zone if the time has no zone and is nearer to its
 * step when it is read as local time, otherwise 0.
 */
export function zoneOf({ ms, isNaive }: Moment, { endMs }: StepWindow): number {
  if (isNaive !== true) return 0;
  const localMs = localZone(endMs);
  return Math.abs(ms - localMs - endMs) < Math.abs(ms - endMs) ? localMs : 0;
}

/**
 * Returns `true` for a time far from its step that the step did not compute from the present time, such as 9999-12-31. A time that a step sets years
 * ahead is a number of whole days away from the step. The distance is measured in seconds. If it were measured in hours or days, fixed times would
 * often be whole days away, too.
 */
export function isFixed(moment: Moment, window: StepWindow, resolutionMs: number): boolean {
  if (Math.abs(moment.ms - window.endMs) <= FURTHEST_MS) return false;
  const offset = offsetFromStep(moment, window, Math.min(resolutionMs, 1_000));
  const localMs = moment.isNaive === true ? localZone(window.endMs) : 0;
  return offset % DAY !== 0 && (offset - localMs) % DAY !== 0;
}

/** Returns the milliseconds by which this machine's time zone is ahead of UTC at a given time. */
function localZone(ms: number): number {
  return -new Date(ms).getTimezoneOffset() * 60_000;
}

/**
 * Returns the value of a field of an object. For `originalMaxAge`, in which sessions of express-session contain the lifetime of their cookie in
 * milliseconds, returns the value rounded up to whole seconds. The library computes it as a distance from the present time, so it is often one or two
 * milliseconds short of the configured lifetime.
 */
export function steadyLifetime(field: unknown, value: unknown): unknown {
  return field === "originalMaxAge" && Number.isSafeInteger(value) ? Math.ceil((value as number) / 1_000) * 1_000 : value;
}

/** Formats a duration for people: `10 min`, `1 h 30 min`. */
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
