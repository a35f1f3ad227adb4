import type { CallEnd, Execution } from "../../../../src/races/oracle/execution.ts";
import { States } from "../../../../src/races/oracle/states-agree.ts";
import { IdPlaces } from "../../../../src/races/oracle/id-places.ts";
import type { Measure } from "../../../../src/races/oracle/judge.ts";
import type { FindingEvent } from "../../../../src/messages/lane-messages.ts";
import type { StoredValue } from "../../../../src/model/stores/store-adapter.ts";
import { canonicalizer } from "../../state/support.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";

export const CLOCK = 1_700_000_000_000;

export interface Row {
  readonly [column: string]: StoredValue;
}

/** Facts of one system `db` with tables whose first column is the key; `order_id` refers to `orders`. */
export function facts(
  added: Readonly<Record<string, readonly Row[]>>,
  more: Partial<Facts> & { readonly removed?: Readonly<Record<string, readonly Row[]>> } = {},
): Facts {
  const { removed = {}, ...rest } = more;
  const names = [...new Set([...Object.keys(added), ...Object.keys(removed)])].sort();
  const tables = names.map((name) => {
    const rows = [...(added[name] ?? []), ...(removed[name] ?? [])];
    const columns = Object.keys(rows[0] ?? { id: 0 }).map((column, index) => ({
      name: column,
      ...(index === 0 && { key: true }),
      ...(column === "order_id" && { references: { table: "orders", column: "id" } }),
    }));
    return {
      name,
      columns,
      added: (added[name] ?? []).map((row) => Object.values(row)),
      removed: (removed[name] ?? []).map((row) => Object.values(row)),
    };
  });
  return { systems: { db: { kind: "rows", tables, counters: {} } }, context: {}, clients: {}, ...rest };
}

export function call(action: string, status: number, body?: unknown, more: Partial<CallEnd> = {}): CallEnd {
  return {
    action,
    kind: "executed",
    status,
    body: body === undefined ? undefined : JSON.stringify(body),
    exchanges: [],
    lost: undefined,
    serverError: status >= 500,
    refused: (status >= 400 && status < 500) || status === 503,
    ...more,
  };
}

export function ordered(
  order: readonly number[],
  calls: readonly (CallEnd | undefined)[],
  state: Facts,
  broken: readonly FindingEvent[] = [],
): Execution {
  return { order, calls, states: [{ merged: order, facts: state }], broken, after: [state] };
}

export function together(calls: readonly CallEnd[], state: Facts, broken: readonly FindingEvent[] = []): Execution {
  return { order: null, calls, states: [{ merged: calls.map((_, side) => side), facts: state }], broken, after: [] };
}

export function measure(before: Facts, orders: readonly Execution[], without: Measure["without"] = () => Promise.resolve([])): Measure {
  return {
    before,
    orders,
    without,
    refusing: () => Promise.resolve([]),
    interleaved: () => Promise.resolve([]),
    states: new States(canonicalizer({ clockMs: CLOCK }), new IdPlaces(before, orders), { placeholders: [], clockMs: CLOCK }),
  };
}
