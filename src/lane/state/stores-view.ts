import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { StoresView } from "../../model/declare/rule.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import { overwrites, sameStores, type Canonicalizer, type StoreRows } from "../../state/index.ts";

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

class Stores implements StoresView {
  readonly fingerprint: string;
  readonly tables: StoresView["tables"];
  readonly #rows: StoreRows;

  constructor(fingerprint: string, systems: Facts["systems"], rows: StoreRows) {
    this.fingerprint = fingerprint;
    this.tables = tablesOf(systems);
    this.#rows = rows;
  }

  same(other: StoresView, { strict = false }: { readonly strict?: boolean } = {}): boolean {
    const isSame = this.fingerprint === other.fingerprint || (other instanceof Stores && sameStores(this.#rows, other.#rows));
    return isSame && !(strict && other instanceof Stores && overwrites(this.#rows, other.#rows));
  }
}

/** Returns the contents of the stores in a state, without context and clients, in a form that can be compared. */
export function storesView(facts: Facts, canonicalizer: Canonicalizer): StoresView {
  const { lo, hi } = storesFingerprint(facts, canonicalizer);
  return new Stores(`${lo}:${hi}`, facts.systems, canonicalizer.rows(facts.systems));
}

/** Returns the fingerprint of the stores in a state, without context and clients. */
export function storesFingerprint({ systems }: Facts, canonicalizer: Canonicalizer): Fingerprint {
  const out = { lo: 0, hi: 0 };
  canonicalizer.fingerprint({ systems, context: NOTHING, clients: NOTHING }, out);
  return out;
}

function tablesOf(systems: Facts["systems"]): StoresView["tables"] {
  const tables = new Map<string, ReadonlyMap<string, number>>();
  for (const [name, observed] of Object.entries(systems)) {
    for (const [table, rows] of rowsOf(observed)) tables.set(table === "" ? name : `${name}.${table}`, rows);
  }
  return tables;
}

function rowsOf(observed: Observed): readonly (readonly [table: string, rows: ReadonlyMap<string, number>])[] {
  if (observed.kind === "value") return [["", new Map([[textOf([observed.value]), 1]])]];
  return observed.tables.map((table) => [table.name, balance(table)]);
}

function balance({ added, removed }: ObservedTable): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  const count = (row: readonly StoredValue[], by: number): void => {
    const text = textOf(row);
    rows.set(text, (rows.get(text) ?? 0) + by);
  };
  for (const row of added) count(row, 1);
  for (const row of removed) count(row, -1);
  return rows;
}

function textOf(row: readonly unknown[]): string {
  return JSON.stringify(row, (_key, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Map) return [...value];
    if (value instanceof Set) return [...value];
    return value;
  });
}
