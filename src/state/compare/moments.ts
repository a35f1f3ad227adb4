import { types } from "node:util";
import type { ObservedTable } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import { columnPlace, INDEX, JSON_TEXT, KEY, parsedJson, placeText, tablePlace } from "../values/places.ts";
import { momentOf, type Moment } from "../values/times.ts";

/** A time in a state. */
export interface PlacedMoment {
  /** The place of the time, in the form of {@link placeText}. */
  readonly place: string;
  readonly moment: Moment;
}

/** Returns a text that is equal for equal times at one place. */
export function momentKey({ place, moment }: PlacedMoment): string {
  return `${place} ${moment.ms}`;
}

const DEEPEST = 100;

/** Returns the times in a state. Times that are only a part of a text, and times in signed tokens, are left out. */
export function momentsOf({ systems, context, clients }: Facts): readonly PlacedMoment[] {
  const found: PlacedMoment[] = [];
  for (const [name, observed] of Object.entries(systems)) {
    if (observed.kind === "value") add(observed.value, ["systems", name], found);
    else for (const table of observed.tables) addRows(name, table, table.added, found);
  }
  add(context, ["context"], found);
  add(clients, ["clients"], found);
  return found;
}

/** Returns the times in the rows of the root state that a state no longer contains, because the rows were changed or deleted. */
export function momentsOfRemoved({ systems }: Facts): readonly PlacedMoment[] {
  const found: PlacedMoment[] = [];
  for (const [name, observed] of Object.entries(systems))
    if (observed.kind === "rows") for (const table of observed.tables) addRows(name, table, table.removed, found);
  return found;
}

function addRows(store: string, { name, columns }: ObservedTable, rows: ObservedTable["added"], found: PlacedMoment[]): void {
  for (const row of rows) row.forEach((cell, index) => add(cell, [...tablePlace(store, name), columnPlace(columns, index, row)], found));
}

function add(value: unknown, segments: readonly string[], found: PlacedMoment[]): void {
  if (segments.length > DEEPEST) return;
  const moment = momentOf(value);
  if (moment !== undefined) found.push({ place: placeText(segments), moment });
  else if (typeof value === "string") {
    const parsed = parsedJson(value);
    if (parsed !== undefined) add(parsed, [...segments, JSON_TEXT], found);
  } else if (Array.isArray(value)) for (const item of value) add(item, [...segments, INDEX], found);
  else if (types.isSet(value)) for (const member of value) add(member, [...segments, KEY], found);
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value))
    for (const [key, item] of types.isMap(value) ? value : Object.entries(value)) add(item, [...segments, String(key)], found);
}
