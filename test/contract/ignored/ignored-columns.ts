import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SeqqaError } from "../../../src/model/errors.ts";
import type { Leftover } from "../../../src/model/stores/leftover.ts";
import type { Awaitable, Checkpoint, StoreAdapter, StoreScope } from "../../../src/model/stores/store-adapter.ts";
import type { ForeignWrite } from "../../../src/stores/external/external-store.ts";
import { size } from "../../sizes.ts";

/** A user's own store, in SQL that every server understands. */
export interface OwnStore {
  /** Opens an adapter on it, as a run with `base_url` does, and makes the present state the root, unless `isRooted` is false. */
  open(scope: StoreScope, isRooted?: boolean): Promise<StoreAdapter>;
  /** Statements of the target, or of another client. */
  exec(sql: string): Awaitable<unknown>;
  rows(sql: string): Awaitable<readonly (readonly unknown[])[]>;
  /** Ends the run of the adapter as SIGKILL does. */
  kill(): Awaitable<unknown>;
  clean(): Promise<Leftover | undefined>;
}

const SCHEMA = [
  "create table orders(id integer primary key, status varchar(20) not null, code varchar(20) unique, seen int not null)",
  "insert into orders values (1, 'new', 'a', 1), (2, 'new', 'b', 1), (3, 'new', 'c', 1)",
];

type Orders = ReadonlyMap<number, readonly [status: unknown, code: unknown, seen: unknown]>;

/** The suite of stores that a run uses where they are: columns that `ignore` names are neither judged nor put back. */
export function ignoredColumnsContract(make: (schema: readonly string[]) => Promise<OwnStore>): void {
  let asked: number | undefined = 1;
  const scope: StoreScope = {
    name: "db",
    laneIndex: 0,
    inProcess: false,
    borrowed: true,
    ignore: ["*.seen"],
    asked: () => asked,
  };

  const ordersIn = async (store: OwnStore): Promise<Orders> =>
    new Map((await store.rows("select id, status, code, seen from orders order by id")).map(([id, ...row]) => [Number(id), row as never]));

  /** Writes of the run: what a look finds after it was asked for. */
  async function asRun(store: OwnStore, system: StoreAdapter, ...statements: readonly string[]): Promise<void> {
    asked = undefined;
    for (const sql of statements) await store.exec(sql);
    await system.observe();
    asked = 1;
    await system.observe();
  }

  async function begun(schema = SCHEMA): Promise<{ readonly store: OwnStore; readonly system: StoreAdapter; readonly mark: Checkpoint }> {
    asked = 1;
    const store = await make(schema);
    const system = await store.open(scope);
    return { store, system, mark: await system.mark() };
  }

  describe("an ignored column of a store that is used where it is", () => {
    test("is written by somebody else: no foreign write, no other state, and the value stays", async () => {
      const { store, system, mark } = await begun();
      for (let seen = 2; seen < 5; seen++) {
        await store.exec(`update orders set seen = ${seen}`);
        expect(await system.changed(mark)).toBe(false);
        expect(await system.observe()).toMatchObject({ tables: [] });
        await system.restore(mark);
      }
      await store.exec("update orders set seen = 5 where id = 2");
      await system.close();
      expect([...(await ordersIn(store)).values()].map(([, , seen]) => Number(seen))).toEqual([4, 5, 4]);
    });

    test("together with another column it is a foreign write", async () => {
      const { store, system, mark } = await begun();
      await store.exec("update orders set seen = 7 where id = 1");
      await store.exec("update orders set seen = 7, status = 'theirs' where id = 2");
      await expect((async () => system.changed(mark))()).rejects.toMatchObject({
        code: "FOREIGN_WRITE",
        message: expect.stringMatching(/: orders id 2, seen at/) as string,
      });
      const kept = (await (async () => system.close())().catch((cause: unknown) => cause)) as SeqqaError;
      expect(kept.code).toBe("ROWS_KEPT");
      rmSync(/ wrote the earlier values to (.*)\.$/.exec(kept.message)![1]!);
      expect((await ordersIn(store)).get(2)).toEqual(["theirs", "b", 7]);
    });

    test("a restore changes the other columns of a row that is there, and writes a row whole that is not", async () => {
      const { store, system, mark } = await begun();
      await asRun(
        store,
        system,
        "update orders set status = 'paid', seen = 2 where id = 1",
        "insert into orders values (4, 'new', 'd', 2)",
      );
      const image = await system.capture!();
      const deeper = await system.mark();
      await store.exec("update orders set seen = 9 where id = 1");
      await asRun(
        store,
        system,
        "delete from orders where id = 3",
        "update orders set code = 'x' where id = 1",
        "update orders set code = 'a' where id = 2",
        "update orders set code = 'b' where id = 1",
      );
      await store.exec("update orders set seen = seen + 10 where id < 3");
      await system.restore(deeper);
      expect([...(await ordersIn(store))]).toEqual([
        [1, ["paid", "a", 19]],
        [2, ["new", "b", 11]],
        [3, ["new", "c", 1]],
        [4, ["new", "d", 2]],
      ]);
      expect(await system.changed(deeper)).toBe(false);
      await store.exec("update orders set seen = 20 where id = 4");
      await system.restore(mark);
      await system.write!(image);
      expect([...(await ordersIn(store))].map(([id, [status]]) => `${id} ${String(status)}`)).toEqual([
        "1 paid",
        "2 new",
        "3 new",
        "4 new",
      ]);
      await system.restore(mark);
      await system.close();
      expect([...(await ordersIn(store))]).toEqual([
        [1, ["new", "a", 19]],
        [2, ["new", "b", 11]],
        [3, ["new", "c", 1]],
      ]);
    });

    test("a close puts back all but that", async () => {
      const { store, system } = await begun();
      await asRun(store, system, "update orders set status = 'paid' where id = 1", "delete from orders where id = 2");
      await store.exec("update orders set seen = 5 where id <> 2");
      await asRun(store, system, "update orders set status = 'sent' where id = 1", "insert into orders values (5, 'new', 'b', 2)");
      await store.exec("update orders set seen = seen + 1");
      await system.close();
      expect([...(await ordersIn(store))]).toEqual([
        [1, ["new", "a", 6]],
        [2, ["new", "b", 1]],
        [3, ["new", "c", 6]],
      ]);
    });

    test("after a kill a clean leaves it alone, and a row that somebody changed elsewhere stays", async () => {
      const { store, system } = await begun();
      await store.exec("update orders set seen = 2");
      await asRun(
        store,
        system,
        "update orders set status = 'paid' where id = 1",
        "update orders set status = 'paid' where id = 2",
        "delete from orders where id = 3",
        "insert into orders values (4, 'new', 'd', 1)",
      );
      await store.exec("update orders set seen = 3 where id = 1");
      await system.observe();
      await store.exec("update orders set seen = 4");
      await store.kill();
      await store.exec("update orders set seen = 5 where id = 1");
      await store.exec("update orders set status = 'theirs' where id = 2");
      const leftover = await store.clean();
      const named = (rows: Leftover["undo"] = []): string[] => rows.map(({ key }) => key).toSorted();
      expect([named(leftover?.undo), named(leftover?.keep)]).toEqual([["id 1", "id 3", "id 4"], ["id 2"]]);
      const [one, two, three, ...others] = [...(await ordersIn(store))];
      expect([one, two, others]).toEqual([[1, ["new", "a", 5]], [2, ["theirs", "b", 4]], []]);
      expect(three).toEqual([3, ["new", "c", expect.toSatisfy((seen: unknown) => seen === 1 || seen === 2) as number]]);
    });

    test("after a kill with nothing else to do, nothing is listed", async () => {
      const { store, system, mark } = await begun();
      await asRun(store, system, "update orders set status = 'paid', seen = 2 where id = 1");
      await system.restore(mark);
      await store.exec("update orders set seen = 3");
      await system.observe();
      await store.exec("update orders set seen = 4");
      await store.kill();
      const leftover = await store.clean();
      expect([leftover?.undo ?? [], leftover?.keep ?? []]).toEqual([[], []]);
      expect([...(await ordersIn(store)).values()].map(([, , seen]) => Number(seen))).toEqual([4, 4, 4]);
    });

    test("is found by watching the store before it is used, and so is a table with other rows; all of that stays", async () => {
      const store = await make([...SCHEMA, "create table audit(id integer primary key)"]);
      const system = await store.open({ ...scope, ignore: [], watching: true }, false);
      await store.exec("update orders set seen = 7 where id = 1");
      await store.exec("insert into audit values (1)");
      await store.exec("update orders set seen = 8 where id = 2");
      const error = await (async () => system.observe())().catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: "FOREIGN_WRITE" });
      expect((error as ForeignWrite).fields.toSorted()).toEqual(["audit.*", "orders.seen"]);
      await store.exec("insert into audit values (2)");
      await system.close();
      expect([...(await ordersIn(store)).values()].map(([, , seen]) => Number(seen))).toEqual([7, 8, 1]);
      expect(await store.rows("select id from audit order by id")).toEqual([[1], [2]]);
      const again = await store.open({ ...scope, ignore: [] });
      await again.close();
    });

    test("is written all the time: no write is lost, and every restore leads to the mark", async () => {
      const { store, system, mark } = await begun();
      let beats = 0;
      const beating = { stops: false };
      const heart = (async () => {
        for (; !beating.stops; beats++) {
          await store.exec("update orders set seen = seen + 1 where id < 3");
          await pause(2);
        }
      })();
      for (let step = 0; step < size(8, 300); step++) {
        await asRun(store, system, `update orders set status = 'step ${step}'`, "insert into orders values (4, 'new', 'd', 1)");
        await system.restore(mark);
        const orders = [...(await ordersIn(store))].map(([id, [status]]) => `${id} ${String(status)}`);
        expect(orders).toEqual(["1 new", "2 new", "3 new"]);
      }
      await system.close();
      beating.stops = true;
      await heart;
      expect([...(await ordersIn(store)).values()].map(([, , seen]) => Number(seen))).toEqual([beats + 1, beats + 1, 1]);
    });

    test("whatever is written, every restore leads to the mark but for it, and an end to the beginning", async () => {
      const id = fc.integer({ min: 1, max: 5 });
      const run = fc.oneof(
        fc.tuple(id, fc.constantFrom("x", "y", "new")).map(([at, to]) => `update orders set status = '${to}' where id = ${at}`),
        fc.tuple(id, fc.constantFrom("a", "b", "c", "d")).map(([at, to]) => `update orders set code = '${to}', seen = 50 where id = ${at}`),
        fc.tuple(id, fc.constantFrom("a", "d", "e")).map(([at, to]) => `insert into orders values (${at}, 'ins', '${to}', 60)`),
        fc.tuple(id, id).map(([at, to]) => `update orders set id = ${to} where id = ${at}`),
        id.map((at) => `delete from orders where id = ${at}`),
      );
      const theirs = fc.tuple(id, fc.integer({ min: 2, max: 40 })).map(([at, to]) => `update orders set seen = ${to} where id = ${at}`);
      const step = fc.oneof(
        { weight: 4, arbitrary: run.map((sql) => ({ kind: "run" as const, sql })) },
        { weight: 4, arbitrary: theirs.map((sql) => ({ kind: "theirs" as const, sql })) },
        { weight: 2, arbitrary: fc.constant({ kind: "mark" as const, sql: "" }) },
        { weight: 2, arbitrary: fc.constant({ kind: "restore" as const, sql: "" }) },
        { weight: 1, arbitrary: fc.constant({ kind: "capture" as const, sql: "" }) },
        { weight: 1, arbitrary: fc.constant({ kind: "write" as const, sql: "" }) },
      );
      const store = await make(SCHEMA);
      const known = (orders: Orders): readonly unknown[] => [...orders].map(([at, [status, code]]) => [at, status, code]);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, isKilled) => {
          asked = 1;
          const root = await ordersIn(store);
          const system = await store.open(scope);
          const marks: { readonly mark: Checkpoint; readonly orders: Orders }[] = [{ mark: await system.mark(), orders: root }];
          let image: { readonly of: unknown; readonly orders: Orders } | undefined;
          const leadsTo = async (wanted: Orders, way: () => Awaitable<unknown>): Promise<void> => {
            const before = await ordersIn(store);
            await way();
            const after = await ordersIn(store);
            expect(known(after)).toEqual(known(wanted));
            for (const [at, [, , seen]] of after) if (before.has(at)) expect(seen, `seen of ${at}`).toEqual(before.get(at)![2]);
          };
          for (const { kind, sql } of steps) {
            if (kind === "theirs") await store.exec(sql);
            if (kind === "run") {
              await system.observe();
              asked = undefined;
              try {
                await store.exec(sql);
              } catch {
                // Refused.
              }
              await system.observe();
              asked = 1;
              await system.observe();
            }
            if (kind === "mark") marks.push({ mark: await system.mark(), orders: await ordersIn(store) });
            if (kind === "restore") {
              const { mark, orders } = marks.at(-1)!;
              await leadsTo(orders, () => system.restore(mark));
              expect(await system.changed(mark)).toBe(false);
              if (marks.length > 1) marks.pop();
            }
            if (kind === "capture") image = { of: await system.capture!(), orders: await ordersIn(store) };
            if (kind === "write" && image !== undefined) {
              const { of, orders } = image;
              await leadsTo(orders, () => system.write!(of));
              marks.splice(1);
            }
          }
          await system.observe();
          await leadsTo(root, async () => {
            if (!isKilled) return system.close();
            await store.kill();
            expect((await store.clean())?.keep ?? []).toEqual([]);
          });
        }),
        { numRuns: size(3, 500) },
      );
    });
  });
}
