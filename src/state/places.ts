import type { ObservedColumn, StoredValue } from "../model/system.ts";
import { fieldOfKind, patternOf, readFieldOfKind } from "./row-kinds.ts";

/**
 * The segment of a place for a column. Where other columns say of what kind a row is (the key and the field of a hash), what they say is part of it: a field of
 * one kind of rows is another place than that of another kind.
 */
export function columnPlace(columns: readonly ObservedColumn[], index: number, row: readonly StoredValue[]): string {
  const { name, kind } = columns[index]!;
  if (kind === true) return name;
  let kinds: Record<string, string> | undefined;
  columns.forEach((column, at) => {
    if (column.kind === true) (kinds ??= {})[column.name] = patternOf(row[at], () => null);
  });
  return kinds === undefined ? name : fieldOfKind(name, kinds);
}

/** Segments as one text, equal for equal places. */
export function placeText(segments: readonly string[]): string {
  return JSON.stringify(segments);
}

/** A place as `ignore` takes it: `orders.latency_ms`, `context.order.seen`. */
export function fieldOf(place: string): string {
  const segments = JSON.parse(place) as readonly string[];
  if (segments[0] === "systems" && segments.length >= 4) {
    const column = segments[3]!;
    const ofKind = readFieldOfKind(column);
    return ofKind === undefined ? `${segments[2]!}.${column}` : fieldOfKind(`${segments[2]!}.${ofKind.field}`, ofKind.kind);
  }
  return segments.reduce((path, segment) => (segment === "[]" ? `${path}[]` : path === "" ? segment : `${path}.${segment}`), "");
}

/** Segments of places that are no names. */
export const INDEX = "[]";
export const KEY = "#key";
export const JSON_TEXT = "{}";
