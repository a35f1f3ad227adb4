import type { ObservedColumn, StoredValue } from "../model/system.ts";

/** Words of a name that tell things of one kind apart: numbers, and words with digits in them. */
const VARIABLE = /[A-Za-z]*\d[A-Za-z0-9]*/g;

/**
 * The segment of a place for a column. Where other columns say of what kind a row is (the key and the field of a hash), what they say is part of it: a field of
 * one kind of rows is another place than that of another kind.
 */
export function columnPlace(columns: readonly ObservedColumn[], index: number, row: readonly StoredValue[]): string {
  const { name, kind } = columns[index]!;
  if (kind === true) return name;
  let place = name;
  columns.forEach((column, at) => {
    if (column.kind === true) place += `|${patternOf(row[at])}`;
  });
  return place;
}

function patternOf(value: StoredValue | undefined): string {
  return typeof value === "string" ? value.replace(VARIABLE, "*").replace(/(?:[-_.]\*)+|\*+(?:[-_.]\*)*/g, "*") : "";
}

/** Segments as one text, equal for equal places. */
export function placeText(segments: readonly string[]): string {
  return JSON.stringify(segments);
}

/** A place as `ignore` takes it: `orders.latency_ms`, `context.order.seen`. */
export function fieldOf(place: string): string {
  const segments = JSON.parse(place) as readonly string[];
  if (segments[0] === "systems" && segments.length >= 4) return `${segments[2]!}.${segments[3]!.split("|")[0]!}`;
  return segments.reduce((path, segment) => (segment === "[]" ? `${path}[]` : path === "" ? segment : `${path}.${segment}`), "");
}
