import { withoutRowOrder, type Observed, type ObservedTable } from "../../model/stores/store-adapter.ts";
import { receivedBy, withEffectsOnly } from "../../model/stores/received.ts";
import type { StoresView } from "../../model/declare/rule.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import {
  apart,
  changedFields,
  overwrites,
  rowText,
  rowUpdates,
  sameStores,
  type Canonicalizer,
  type StoreRows,
} from "../../state/index.ts";

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

class Stores implements StoresView {
  readonly fingerprint: string;
  readonly tables: StoresView["tables"];
  readonly #systems: Facts["systems"];
  readonly #clients: Facts["clients"];
  readonly #canonicalizer: Canonicalizer;
  readonly #rows: StoreRows;

  constructor({ systems, clients }: Pick<Facts, "systems" | "clients">, canonicalizer: Canonicalizer) {
    const { lo, hi } = storesFingerprint({ systems }, canonicalizer);
    this.fingerprint = `${lo}:${hi}`;
    this.tables = tablesOf(systems);
    this.#systems = systems;
    this.#clients = clients;
    this.#canonicalizer = canonicalizer;
    this.#rows = canonicalizer.rows({ systems, clients });
  }

  same(other: StoresView, { strict = false }: { readonly strict?: boolean } = {}): boolean {
    const isSame = this.fingerprint === other.fingerprint || (other instanceof Stores && sameStores(this.#rows, other.#rows));
    return isSame && !(strict && other instanceof Stores && overwrites(this.#rows, other.#rows));
  }

  without(texts: readonly string[]): StoresView {
    if (texts.length === 0) return this;
    const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
    const parts = [...texts.map(quoted), ...texts.map((text) => `"key":"${quoted(this.#canonicalizer.renamer.keyOf(text))}"`)];
    const others = (rows: ObservedTable["added"]): ObservedTable["added"] =>
      rows.filter((row) => {
        const shown = rowText(row);
        return !parts.some((part) => shown.includes(part));
      });
    const systems = Object.entries(this.#systems).map(([name, observed]) => {
      if (observed.kind === "value") return [name, observed] as const;
      const tables = observed.tables.map((table) => ({
        ...withoutRowOrder(table),
        added: others(table.added),
        removed: others(table.removed),
      }));
      return [name, { ...observed, tables: tables.filter(({ added, removed }) => added.length + removed.length > 0) }] as const;
    });
    return new Stores({ systems: Object.fromEntries(systems), clients: this.#clients }, this.#canonicalizer);
  }

  changedFields(other: StoresView): readonly string[] {
    return other instanceof Stores ? changedFields(this.#judged(this.#systems), this.#judged(other.#systems)) : [];
  }

  changedRows(other: StoresView): ReturnType<StoresView["changedRows"]> {
    return other instanceof Stores
      ? rowUpdates(this.#judged(this.#systems), this.#judged(other.#systems))
      : { fields: [], counts: new Map() };
  }

  #judged(systems: Facts["systems"]): Pick<Facts, "systems"> {
    return { systems: this.#canonicalizer.withoutLeftOut({ systems, context: NOTHING, clients: NOTHING }).systems };
  }
}

/**
 * Returns the contents of the stores in a state, without context and clients, in a form that can be compared. For a stub, returns a table of the
 * calls or mails that had an effect.
 * @param without The columns to leave out as `table.column`, and the tables or stores without tables to leave out as `name.*`.
 * @param changedByAction The stores to leave out because the action itself changes them.
 */
export function storesView(
  facts: Facts,
  canonicalizer: Canonicalizer,
  without: readonly string[] = [],
  changedByAction: readonly string[] = [],
): StoresView {
  const left = new Set(without);
  const stores = Object.entries(facts.systems)
    .filter(([name, { kind }]) => !changedByAction.includes(name) && !(kind === "value" && left.has(`${name}.*`)))
    .map(([name, observed]) => [name, withEffectsOnly(observed)] as const);
  const compared: Facts["systems"] = Object.fromEntries(stores);
  const systems = left.size === 0 ? compared : withoutColumns(compared, left);
  return new Stores({ systems, clients: facts.clients }, canonicalizer);
}

/** Returns the fingerprint of the stores in a state, without context and clients. */
export function storesFingerprint({ systems }: Pick<Facts, "systems">, canonicalizer: Canonicalizer): Fingerprint {
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
  if (observed.kind === "value") return [["", counted((receivedBy(observed) ?? [observed.value]).map((one) => [one]))]];
  return observed.tables.map((table) => [table.name, counted(table.added, table.removed)]);
}

function counted(added: readonly (readonly unknown[])[], removed: readonly (readonly unknown[])[] = []): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  const count = (row: readonly unknown[], by: number): void => {
    const text = rowText(row);
    rows.set(text, (rows.get(text) ?? 0) + by);
  };
  for (const row of added) count(row, 1);
  for (const row of removed) count(row, -1);
  return rows;
}

/**
 * Returns the stores with `null` in the given columns of their rows. Leaves out rows that are then equal to rows of the root state, and leaves out
 * all counters.
 */
function withoutColumns(systems: Facts["systems"], columns: ReadonlySet<string>): Facts["systems"] {
  return Object.fromEntries(Object.entries(systems).map(([name, observed]) => [name, masked(observed, columns)]));
}

function masked(observed: Observed, columns: ReadonlySet<string>): Observed {
  if (observed.kind === "value") return observed;
  const tables = observed.tables.flatMap((table) => {
    if (columns.has(`${table.name}.*`)) return [];
    const isLeftOut = table.columns.map(({ name }) => columns.has(`${table.name}.${name}`));
    if (!isLeftOut.includes(true)) return [table];
    const nulled = (rows: ObservedTable["added"]): ObservedTable["added"] =>
      rows.map((row) => row.map((value, index) => (isLeftOut[index] === true ? null : value)));
    const [added, removed] = apart(nulled(table.added), nulled(table.removed));
    return added.length + removed.length === 0 ? [] : [{ ...withoutRowOrder(table), added, removed }];
  });
  return { ...observed, tables, counters: {} };
}
