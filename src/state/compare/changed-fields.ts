import { isDeepStrictEqual } from "node:util";
import type { StoresView } from "../../model/declare/rule.ts";
import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import { fieldOfKind, readFieldOfKind } from "../../model/stores/field-of-kind.ts";
import { ROWS } from "../../model/stores/ignore-line.ts";
import type { Facts } from "../canonical/facts.ts";
import { columnPlace, fieldOf, INDEX, placeText, tablePlace } from "../values/places.ts";

type Row = readonly StoredValue[];

/**
 * Returns the fields of stores whose values differ between two observations, in the form of {@link fieldOf}. In an added or removed row, every column
 * counts as different.
 */
export function changedFields(before: Pick<Facts, "systems">, after: Pick<Facts, "systems">): readonly string[] {
  return fieldChanges(before, after).fields;
}

/**
 * Returns the fields of {@link changedFields}, and `table.*` for each table in which rows were added or removed. In a table with several kinds of
 * rows, this entry also names the key of the rows (see {@link fieldOfKind}), because `ignore` can name keys. Kinds without a key have no such entry.
 */
export function writtenFields(before: Pick<Facts, "systems">, after: Pick<Facts, "systems">): readonly string[] {
  const { fields, moved } = changes(before, after);
  return [...moved, ...fields].toSorted();
}

/**
 * Returns the fields of {@link changedFields}. `nullable`: the part of these fields that is NULL or missing in one observation and has a value in the
 * other.
 */
export function fieldChanges(
  before: Pick<Facts, "systems">,
  after: Pick<Facts, "systems">,
): { readonly fields: readonly string[]; readonly nullable: readonly string[] } {
  const { fields, nullable } = changes(before, after);
  return { fields: [...fields].toSorted(), nullable: [...nullable].toSorted() };
}

/** Returns the changes of rows that both observations have, see {@link StoresView.changedRows}. */
export function rowUpdates(before: Pick<Facts, "systems">, after: Pick<Facts, "systems">): ReturnType<StoresView["changedRows"]> {
  const { updated, counts } = changes(before, after);
  return { fields: [...updated].toSorted(), counts };
}

const MOVED = { isNullable: false, isUpdate: false, isMoved: true };

interface Changes {
  readonly fields: Set<string>;
  readonly nullable: Set<string>;
  /** The tables, as `table.*`, in which rows were added or removed. */
  readonly moved: Set<string>;
  /** The fields that differ in rows that both observations have. `counts`: the number of such rows, by table. */
  readonly updated: Set<string>;
  readonly counts: Map<string, number>;
}

function changes(before: Pick<Facts, "systems">, after: Pick<Facts, "systems">): Changes {
  const found: Changes = { fields: new Set(), nullable: new Set(), moved: new Set(), updated: new Set(), counts: new Map() };
  for (const name of Object.keys(after.systems)) {
    const [a, b] = [before.systems[name], after.systems[name]];
    if (a?.kind === "value" && b?.kind === "value") {
      if (!isDeepStrictEqual(a.value, b.value)) found.counts.set(name, 1);
      addValues(a.value, b.value, ["systems", name], found);
    }
    if (a?.kind !== "rows" || b?.kind !== "rows") continue;
    for (const table of new Set([...a.tables, ...b.tables].map((one) => one.name))) {
      const [x, y] = [a, b].map(({ tables }) => tables.find((one) => one.name === table));
      const hasKinds = (y ?? x)!.columns.some(({ kind }) => kind === true);
      const count = addRows((y ?? x)!, changesOf(x, y), (place, { isNullable, isUpdate, isMoved }) => {
        const field = fieldOf(placeText([...tablePlace(name, table), place]));
        found.fields.add(field);
        const key = readFieldOfKind(field)?.kind["key"];
        if (isMoved && key !== undefined) found.moved.add(fieldOfKind(`${table}${ROWS}`, { key }));
        else if (isMoved && !hasKinds) found.moved.add(`${table}${ROWS}`);
        if (isNullable) found.nullable.add(field);
        if (isUpdate) found.updated.add(field);
      });
      if (count > 0) found.counts.set(table === "" ? name : `${name}.${table}`, count);
    }
  }
  return found;
}

/**
 * Compares two observations of a table. Returns the rows that only the later observation has (`came`), and the rows that only the earlier observation
 * has (`went`).
 */
function changesOf(
  before: ObservedTable | undefined,
  after: ObservedTable | undefined,
): { readonly came: readonly Row[]; readonly went: readonly Row[] } {
  const count = new Map<string, { readonly row: Row; count: number }>();
  const add = (rows: readonly Row[] | undefined, sign: number): void => {
    for (const row of rows ?? []) {
      const key = row.map(cellText).join("\0");
      const known = count.get(key);
      if (known === undefined) count.set(key, { row, count: sign });
      else known.count += sign;
    }
  };
  add(after?.added, 1);
  add(before?.added, -1);
  add(after?.removed, -1);
  add(before?.removed, 1);
  const all = [...count.values()];
  const rows = (sign: number): readonly Row[] => all.filter((one) => one.count * sign > 0).map(({ row }) => row);
  return { came: rows(1), went: rows(-1) };
}

/** Returns a text for a cell. Equal cells have equal texts. In named observations, generated values and times are objects. */
function cellText(cell: StoredValue): string {
  const isNamed = typeof cell === "object" && cell !== null && !(cell instanceof Uint8Array);
  return `${typeof cell}:${isNamed ? JSON.stringify(cell) : String(cell)}`;
}

/** Calls `add` for each column that differs. Returns the number of rows that both observations have and whose values differ. */
function addRows(
  { columns }: ObservedTable,
  { came, went }: ReturnType<typeof changesOf>,
  add: (place: string, change: { readonly isNullable: boolean; readonly isUpdate: boolean; readonly isMoved: boolean }) => void,
): number {
  const left = [...went];
  let updates = 0;
  const keys = columns.flatMap(({ key }, index) => (key === true ? [index] : []));
  for (const row of came) {
    const at = left.findIndex((other) => keys.length > 0 && keys.every((index) => isDeepStrictEqual(row[index], other[index])));
    const [other] = at < 0 ? [] : left.splice(at, 1);
    if (other !== undefined) updates++;
    row.forEach((cell, index) => {
      const place = columnPlace(columns, index, row);
      if (other === undefined) add(place, MOVED);
      else if (!isDeepStrictEqual(cell, other[index]))
        add(place, { isNullable: cell === null || other[index] === null, isUpdate: true, isMoved: false });
    });
  }
  for (const row of left)
    row.forEach((_, index) => {
      add(columnPlace(columns, index, row), MOVED);
    });
  return updates;
}

function addValues(a: unknown, b: unknown, segments: readonly string[], found: Changes): void {
  if (isDeepStrictEqual(a, b)) return;
  if (isRecord(a) && isRecord(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) addValues(a[key], b[key], [...segments, key], found);
    return;
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    a.forEach((item, at) => addValues(item, b[at], [...segments, INDEX], found));
    return;
  }
  const field = fieldOf(placeText(segments));
  found.fields.add(field);
  found.updated.add(field);
  if (a === null || b === null || a === undefined || b === undefined) found.nullable.add(field);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
