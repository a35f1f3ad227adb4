import { randomUUID } from "node:crypto";
import { Canonicalizer, type CanonicalOptions, type Facts } from "../../../src/state/index.ts";
import type { ObservedColumn, ObservedTable, StoredValue } from "../../../src/model/stores/store-adapter.ts";

export const CLOCK: number = Date.UTC(2025, 10, 21, 12);

export type Options = Partial<CanonicalOptions>;

export function canonicalizer(options: Options = {}): Canonicalizer {
  return new Canonicalizer({
    clockMs: CLOCK,
    literals: new Set(),
    ignore: [],
    symmetric: [],
    placeholders: [],
    masked: [],
    byAppearance: true,
    ...options,
  });
}

export function facts(parts: Partial<Facts>): Facts {
  return { systems: {}, context: {}, clients: {}, ...parts };
}

/** Facts with one value, in the context. */
export const valued = (value: unknown): Facts => facts({ context: { value } });

export type Rows = readonly (readonly StoredValue[])[];

/** `columns`: names, `*` in front of a key, `name>table.column` for a reference. */
export function table(name: string, columns: string, added: Rows, removed: Rows = []): ObservedTable {
  const parsed = columns.split(" ").map((text): ObservedColumn => {
    const [column, target] = text.replace("*", "").split(">");
    const [referenced, key] = target?.split(".") ?? [];
    return {
      name: column!,
      ...(text.startsWith("*") ? { key: true } : {}),
      ...(referenced === undefined ? {} : { references: { table: referenced, column: key! } }),
    };
  });
  return { name, columns: parsed, added, removed };
}

/** A Redis store with fields of hashes. Each row: key, field, value. */
export function hashes(added: Rows, removed: Rows = []): Facts["systems"][string] {
  const columns = [{ name: "key", key: true, kind: true }, { name: "field", key: true, kind: true }, { name: "value" }];
  return { kind: "rows", counters: {}, tables: [{ name: "hash", columns, added, removed }] };
}

export function stored(...tables: ObservedTable[]): Facts {
  return facts({ systems: { db: { kind: "rows", tables, counters: {} } } });
}

export function print(canonical: Canonicalizer, state: Facts): string {
  const out = { lo: 0, hi: 0 };
  canonical.fingerprint(state, out);
  return `${out.hi >>> 0}:${out.lo >>> 0}`;
}

export const uuids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

export function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(index, 1))) yield [item, ...rest];
  }
}
