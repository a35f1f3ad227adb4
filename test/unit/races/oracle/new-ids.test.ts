import { beforeAll, describe, expect, it } from "vitest";
import { judge } from "../../../../src/races/oracle/judge.ts";
import type { Execution } from "../../../../src/races/oracle/execution.ts";
import { loadHasher } from "../../../../src/state/index.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";
import { call, facts, measure, together, type Row } from "./executions.ts";

beforeAll(() => loadHasher());

/** Calls one after the other, with the state after each of them. */
function inOrder(order: readonly number[], calls: Execution["calls"], after: readonly Facts[]): Execution {
  return { order, calls, states: [{ merged: order, facts: after.at(-1)! }], broken: [], after };
}

describe("a counter beside new rows", () => {
  const rows = (from: number, count: number): Row[] => Array.from({ length: count }, (_, at) => ({ id: from + at, post: "a" }));

  describe.each([0, 1, 5, 100])("that starts at %i", (start) => {
    describe.each([1, 2, 6])("with new ids from %i", (from) => {
      /** The counter as a column, in JSON text, in a store of values and in a store of texts. */
      const kinds: Readonly<Record<string, (likes: number, count: number) => Facts>> = {
        column: (likes, count) => state(count, { posts: [{ id: "a", likes }] }, likes === start),
        json: (likes, count) => state(count, { posts: [{ id: "a", data: JSON.stringify({ stats: { likes } }) }] }, likes === start),
        text: (likes, count) => state(count, { hash: [{ key: "post:a", value: String(likes) }] }, likes === start),
        value: (likes, count) => {
          const base = state(count, {}, false);
          return { ...base, systems: { ...base.systems, cache: { kind: "value", value: { a: { likes } } } } };
        },
      };
      /** Rows of the root are told where they changed. */
      function state(count: number, counters: Readonly<Record<string, readonly Row[]>>, isAsBefore: boolean): Facts {
        return isAsBefore
          ? facts({ likes: rows(from, count) })
          : facts({ likes: rows(from, count), ...counters }, { removed: asBefore(counters) });
      }
      const asBefore = (counters: Readonly<Record<string, readonly Row[]>>): Readonly<Record<string, readonly Row[]>> =>
        Object.fromEntries(
          Object.entries(counters).map(([table, [row]]) => [
            table,
            [
              Object.fromEntries(
                Object.entries(row!).map(([key, value]) => [
                  key,
                  key === "likes"
                    ? start
                    : key === "data"
                      ? JSON.stringify({ stats: { likes: start } })
                      : key === "value"
                        ? String(start)
                        : value,
                ]),
              ),
            ],
          ]),
        );

      it.each(Object.keys(kinds))("in a %s loses no update unseen", async (kind) => {
        const at = kinds[kind]!;
        const answers = [call("like", 201, { id: from }), call("like", 201, { id: from + 1 })];
        const orders = [inOrder([0, 1], answers, [at(start + 1, 1), at(start + 2, 2)])];
        const judged = (trial: Facts) => judge(together(answers, trial), measure(at(start, 0), orders));
        expect(await judged(at(start + 1, 2))).toMatchObject({ verdict: "state" });
        expect(await judged(at(start + 2, 2))).toBeUndefined();
      });
    });
  });

  it("in a row that the calls make themselves loses none, either", async () => {
    const at = (views: number, count: number) => facts({ likes: rows(1, count), days: views === 0 ? [] : [{ day: "monday", views }] });
    const answers = [call("like", 201), call("like", 201)];
    const orders = [inOrder([0, 1], answers, [at(1, 1), at(2, 2)])];
    expect(await judge(together(answers, at(1, 2)), measure(at(0, 0), orders))).toMatchObject({ verdict: "state" });
    expect(await judge(together(answers, at(2, 2)), measure(at(0, 0), orders))).toBeUndefined();
  });

  it("in a table without a key, and in the answers alone", async () => {
    const keyless = (likes: number, count: number): Facts => {
      const { systems } = facts({ likes: rows(1, count) });
      const table = { name: "stats", columns: [{ name: "n" }], added: likes === 0 ? [] : [[likes]], removed: likes === 0 ? [] : [[0]] };
      const { db } = systems;
      return {
        ...facts({}),
        systems: { db: { ...db!, tables: [...(db!.kind === "rows" ? db!.tables : []), table] } as Facts["systems"][string] },
      };
    };
    const answers = [call("like", 201), call("like", 201)];
    const orders = [inOrder([0, 1], answers, [keyless(1, 1), keyless(2, 2)])];
    expect(await judge(together(answers, keyless(1, 2)), measure(keyless(0, 0), orders))).toMatchObject({ verdict: "state" });
    const told = (...likes: readonly number[]) => likes.map((count) => call("like", 201, { likes: count }));
    const only = (count: number) => facts({ likes: rows(1, count) });
    const tellers = [inOrder([0, 1], told(1, 2), [only(1), only(2)])];
    expect(await judge(together(told(1, 1), only(2)), measure(only(0), tellers))).toMatchObject({ verdict: "responses" });
    expect(await judge(together(told(2, 1), only(2)), measure(only(0), tellers))).toBeUndefined();
  });
});

/** Two orders, made by two actions; ids and labels are given out in any order. */
interface Made {
  readonly ann: number;
  readonly bob: number;
}

describe("a new id in text, in JSON and in keys", () => {
  const kinds: Readonly<Record<string, (id: number, who: string) => Row>> = {
    "a label": (id, of) => ({ id: 100 + id, of, code: `ORD-${id}` }),
    "a padded label": (id, of) => ({ id: 100 + id, of, code: `INV/${String(id).padStart(4, "0")}` }),
    "a sentence": (id, of) => ({ id: 100 + id, of, note: `order ${id} was made (see /orders/${id})` }),
    JSON: (id, of) => ({ id: 100 + id, of, data: JSON.stringify({ orderId: id, to: [{ entity: { order_id: id } }] }) }),
    "keys of JSON": (id, of) => ({ id: 100 + id, of, data: JSON.stringify({ acl: { deep: { [id]: { read: true } }, "*": {} } }) }),
  };
  const body = (kind: string, id: number, who: string) => ({ id, ...kinds[kind]!(id, who), id2: undefined });

  describe.each(Object.keys(kinds))("%s", (kind) => {
    const state = (made: Partial<Made>, told: Partial<Made> = made): Facts =>
      facts({
        orders: Object.entries(made).map(([of, id]) => ({ id, of })),
        entries: Object.entries(told).map(([of, id]) => ({ ...kinds[kind]!(id, of), id: 100 + made[of as keyof Made]! })),
      });
    const answers = (told: Made) => [
      call("ann", 201, { ...body(kind, told.ann, "ann"), id: told.ann }),
      call("bob", 201, { ...body(kind, told.bob, "bob"), id: told.bob }),
    ];
    const orders = [
      inOrder([0, 1], answers({ ann: 1, bob: 2 }), [state({ ann: 1 }), state({ ann: 1, bob: 2 })]),
      inOrder([1, 0], answers({ ann: 2, bob: 1 }), [state({ bob: 1 }), state({ bob: 1, ann: 2 })]),
    ];
    const judged = (made: Made, told: Made = made, answered: Made = told) =>
      judge(together(answers(answered), state(made, told)), measure(facts({}), orders));

    it("is renamed with its row", async () => {
      expect(await judged({ ann: 2, bob: 1 })).toBeUndefined();
      // A refused insert burns a number.
      expect(await judged({ ann: 2, bob: 3 })).toBeUndefined();
      expect(await judged({ ann: 14, bob: 9 })).toBeUndefined();
    });

    it("is a finding where it is that of another row, or of two", async () => {
      // Labels may have numbers of their own.
      if (!kind.endsWith("label")) expect(await judged({ ann: 2, bob: 3 }, { ann: 3, bob: 2 })).toMatchObject({ verdict: "state" });
      expect(await judged({ ann: 2, bob: 3 }, { ann: 3, bob: 3 })).toMatchObject({ verdict: "state" });
    });

    it("is a finding where an answer tells that of another row", async () => {
      expect(await judged({ ann: 2, bob: 3 }, { ann: 2, bob: 3 }, { ann: 3, bob: 3 })).toMatchObject({ verdict: "responses" });
    });
  });

  it("labels with numbers of their own are given out in any order", async () => {
    const made = (...rows: readonly (readonly [string, number, number, number])[]) =>
      facts({
        orders: rows.map(([of, id, code]) => ({ id, of, code: `ORD-${code}` })),
        invoices: rows.map(([of, , code, invoice]) => ({ id: invoice, of, code: `INV/000${invoice}`, order: `ORD-${code}` })),
      });
    const answers = [call("ann", 201), call("bob", 201)];
    const orders = [
      inOrder([0, 1], answers, [made(["ann", 1, 1, 1]), made(["ann", 1, 1, 1], ["bob", 2, 2, 2])]),
      inOrder([1, 0], answers, [made(["bob", 1, 1, 1]), made(["bob", 1, 1, 1], ["ann", 2, 2, 2])]),
    ];
    const judged = (trial: Facts) => judge(together(answers, trial), measure(facts({}), orders));
    expect(await judged(made(["ann", 1, 2, 1], ["bob", 2, 1, 2]))).toBeUndefined();
    expect(await judged(made(["ann", 2, 1, 1], ["bob", 1, 3, 2]))).toBeUndefined();
    expect(await judged(made(["ann", 1, 2, 1], ["bob", 2, 2, 2]))).toMatchObject({ verdict: "state" });
  });

  it("a number that both calls were sent is none", async () => {
    const seat = (made: Made, seats: Made) =>
      facts({
        bookings: [
          { id: made.ann, of: "ann", seat: `A-${seats.ann}` },
          { id: made.bob, of: "bob", seat: `A-${seats.bob}` },
        ],
      });
    const exchange = (of: number) =>
      ({ exchanges: [{ request: { method: "POST", url: "/", headers: {}, body: `{"seat":"A-${of}"}` } }] }) as never;
    const answers = [call("ann", 201, undefined, exchange(1)), call("bob", 201, undefined, exchange(2))];
    const state = seat({ ann: 1, bob: 2 }, { ann: 1, bob: 2 });
    const orders = [inOrder([0, 1], answers, [state, state])];
    const judged = (made: Made, seats: Made) => judge(together(answers, seat(made, seats)), measure(facts({}), orders));
    expect(await judged({ ann: 2, bob: 1 }, { ann: 1, bob: 2 })).toBeUndefined();
    expect(await judged({ ann: 1, bob: 2 }, { ann: 2, bob: 1 })).toMatchObject({ verdict: "state" });
  });
});

describe("numbers of a counter in a column that is not the only key", () => {
  interface Placed {
    readonly of: string;
    readonly seq: number;
  }
  /** Orders with a number, and the name of the caller who came last. Each row of `lines` has a key of two columns, one of which is the number. */
  const placed = (last: string, orders: readonly Placed[], lines = orders): Facts => {
    const { systems } = facts({
      last: [{ id: "last", of: last }],
      lines: lines.map(({ of, seq }) => ({ owner: of, line: seq })),
      orders: orders.map(({ of, seq }) => ({ id: `order of ${of}`, seq })),
      sent: orders.map(({ of, seq }) => ({ id: `parcel of ${of}`, order_seq: seq })),
    });
    const marks: Readonly<Record<string, object>> = {
      "lines.line": { key: true, serial: "lines.line" },
      "orders.seq": { serial: "orders.seq" },
      "sent.order_seq": { serial: "orders.seq", references: { table: "orders", column: "seq" } },
    };
    const db = systems["db"]!;
    if (db.kind !== "rows") throw new Error("no rows");
    const tables = db.tables.map((table) => ({
      ...table,
      columns: table.columns.map((column) => ({ ...column, ...marks[`${table.name}.${column.name}`] })),
    }));
    return facts({}, { systems: { db: { ...db, tables } } });
  };
  const [ann, bob] = [(seq: number) => ({ of: "ann", seq }), (seq: number) => ({ of: "bob", seq })];
  const answers = (a: number, b: number) => [call("ann", 201, { seq: a }), call("bob", 201, { seq: b })];
  const orders = [
    inOrder([0, 1], answers(7, 8), [placed("ann", [ann(7)]), placed("bob", [ann(7), bob(8)])]),
    inOrder([1, 0], answers(8, 7), [placed("bob", [bob(7)]), placed("ann", [bob(7), ann(8)])]),
  ];
  const judged = (state: Facts, told = answers(7, 8)) => judge(together(told, state), measure(facts({}), orders));

  it("are given out in any order, and a refused insert uses one up", async () => {
    expect(await judged(placed("ann", [ann(7), bob(8)]))).toBeUndefined();
    expect(await judged(placed("bob", [ann(8), bob(10)]), answers(8, 10))).toBeUndefined();
  });

  it("are a finding if two rows have the same one, or an answer or another row has that of another row", async () => {
    expect(await judged(placed("bob", [ann(8), bob(8)]), answers(8, 8))).toMatchObject({ verdict: "state" });
    expect(await judged(placed("bob", [ann(7), bob(8)]), answers(8, 7))).toMatchObject({ verdict: "responses" });
    expect(await judged(placed("bob", [ann(7), bob(8)], [ann(7), bob(7)]))).toMatchObject({ verdict: "state" });
  });
});
