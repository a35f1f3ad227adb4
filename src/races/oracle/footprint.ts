import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/** The data that an execution wrote: for each written place, its new content. A place is a row, named by its key, or a member of a stored value. */
export type Footprint = ReadonlyMap<string, string>;

export function footprint(before: Facts, after: Facts): Footprint {
  const written = new Map<string, string>();
  for (const name of new Set([...Object.keys(before.systems), ...Object.keys(after.systems)])) {
    const a = before.systems[name];
    const b = after.systems[name];
    if (a?.kind === "value" || b?.kind === "value") {
      members(name, a?.kind === "value" ? a.value : undefined, b?.kind === "value" ? b.value : undefined, written);
      continue;
    }
    const tables = new Set([...(a?.tables ?? []), ...(b?.tables ?? [])].map((table) => table.name));
    for (const table of tables) rows(`${name}.${table}`, find(a?.tables, table), find(b?.tables, table), written);
  }
  return written;
}

/** Returns `true` if two executions wrote to a common place (a row, or a member of a stored value). */
export function overlaps(a: Footprint, b: Footprint): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const place of small.keys()) if (large.has(place)) return true;
  return false;
}

export function sameFootprint(a: Footprint, b: Footprint): boolean {
  if (a.size !== b.size) return false;
  for (const [place, value] of a) if (b.get(place) !== value) return false;
  return true;
}

/** Returns `true` if a state differs from an earlier state only by missing rows. */
export function onlyRemoves(before: Facts, after: Facts): boolean {
  return Object.keys({ ...before.systems, ...after.systems }).every((name) => {
    const [a, b] = [before.systems[name], after.systems[name]];
    if (a?.kind === "value" || b?.kind === "value") return onlyLacks(b, a);
    return [...(a?.tables ?? []), ...(b?.tables ?? [])].every((table) => {
      const [x, y] = [find(a?.tables, table.name), find(b?.tables, table.name)];
      // A removed row of the root state is in `removed`.
      return isSubset(y?.added, x?.added) && isSubset(x?.removed, y?.removed);
    });
  });
}

type Rows = ObservedTable["added"];

function isSubset(some: Rows | undefined, all: Rows | undefined): boolean {
  const texts = new Set(all?.map(text));
  return (some ?? []).every((row) => texts.has(text(row)));
}

/** Returns `true` if an earlier stored value has all members of a later stored value, with equal content. */
function onlyLacks(after: Observed | undefined, before: Observed | undefined): boolean {
  const [left, right] = [before, after].map((one) => entries(one?.kind === "value" ? one.value : undefined));
  return [...right!].every(([key, value]) => left!.has(key) && text(left!.get(key)) === text(value));
}

const find = (tables: readonly ObservedTable[] | undefined, name: string): ObservedTable | undefined =>
  tables?.find((table) => table.name === name);

/**
 * Adds the rows of a table that differ between two states. `a` and `b` contain rows that differ from the root state, so a row that only `a` or only
 * `b` contains was written.
 */
function rows(place: string, a: ObservedTable | undefined, b: ObservedTable | undefined, written: Map<string, string>): void {
  const columns = (b ?? a)!.columns;
  const keys = columns.flatMap((column, index) => (column.key === true ? [index] : []));
  const keyOf = (row: readonly StoredValue[]): string => text(keys.length === 0 ? row : keys.map((index) => row[index]!));
  const index = (list: readonly (readonly StoredValue[])[] | undefined): Map<string, string> =>
    new Map((list ?? []).map((row) => [keyOf(row), text(row)]));
  const [addedA, addedB, removedA, removedB] = [index(a?.added), index(b?.added), index(a?.removed), index(b?.removed)];
  for (const key of new Set([...addedA.keys(), ...addedB.keys(), ...removedA.keys(), ...removedB.keys()])) {
    if (addedA.get(key) === addedB.get(key) && removedA.get(key) === removedB.get(key)) continue;
    written.set(`${place} ${key}`, addedB.get(key) ?? "");
  }
}

function members(place: string, a: unknown, b: unknown, written: Map<string, string>): void {
  const left = entries(a);
  const right = entries(b);
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [before, after] = [text(left.get(key)), text(right.get(key))];
    if (before !== after) written.set(`${place} ${key}`, after);
  }
}

function entries(value: unknown): Map<string, unknown> {
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [text(key), item as unknown]));
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : [["", value]]);
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) => {
      if (typeof item === "bigint") return `${item}n`;
      if (item instanceof Uint8Array) return Buffer.from(item).toString("base64");
      if (item instanceof Map || item instanceof Set) return [...item] as unknown[];
      return item;
    }) ?? ""
  );
}
