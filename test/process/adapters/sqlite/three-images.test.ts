import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SqliteAdapter, stores } from "../../../../src/adapters/sqlite/index.ts";
import type { RowImages } from "../../../../src/model/stores/leftover.ts";
import { size } from "../../../sizes.ts";
import { SCOPE, scratchFile } from "../../../support/sqlite-scratch.ts";

const SCHEMA = `create table orders(id integer primary key autoincrement, status text, code text unique);
  create table items(id integer primary key autoincrement, order_id integer not null references orders(id));
  insert into orders(status, code) values('a', 'a'), ('b', 'b'), ('c', 'c');
  insert into items(order_id) values(1), (1), (2)`;

type Rows = Record<"orders" | "items", Map<number, string>>;

/** Every row, by its id, as one text. */
function rowsOf(db: Database.Database): Rows {
  const of = (table: string): Map<number, string> =>
    new Map(
      db
        .prepare<[], { id: number }>(`select * from ${table}`)
        .all()
        .map((row) => [row.id, JSON.stringify(row)]),
    );
  return { orders: of("orders"), items: of("items") };
}

const id = fc.integer({ min: 1, max: 7 });
const code = fc.constantFrom("a", "b", "c", "d", "e");
/** Statements of a target or a user; some are refused. */
const statement = fc.oneof(
  fc.tuple(fc.constantFrom("x", "y"), code).map(([status, one]) => `insert into orders(status, code) values('${status}', '${one}')`),
  fc.tuple(id, fc.constantFrom("x", "y", "z")).map(([at, status]) => `update orders set status = '${status}' where id = ${at}`),
  fc.tuple(id, code).map(([at, one]) => `update orders set code = '${one}' where id = ${at}`),
  id.map((at) => `delete from orders where id = ${at}`),
  id.map((at) => `insert into items(order_id) values(${at})`),
  fc.tuple(id, id).map(([at, order]) => `update items set order_id = ${order} where id = ${at}`),
  id.map((at) => `delete from items where id = ${at}`),
  id.map((at) => `replace into orders(id, status, code) values(${at}, 'r', 'r${at}')`),
);
const statements = fc.array(statement, { maxLength: 6 });

function execute(db: Database.Database, all: readonly string[]): void {
  for (const sql of all) {
    try {
      db.exec(sql);
    } catch {
      // Refused.
    }
  }
}

test("rows go back only where they are as the run recorded them, whatever others wrote since", async () => {
  const story = fc.record({
    /** Steps of the run; after each it looks, and after some it goes back to the root. */
    steps: fc.array(fc.record({ write: statements, isUndone: fc.boolean() }), { maxLength: 4 }),
    inFlight: statements,
    afterwards: statements,
    isLeaseOver: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(story, async ({ steps, inFlight, afterwards, isLeaseOver }) => {
      const file = scratchFile();
      const db = new Database(file);
      db.pragma("foreign_keys = on");
      db.pragma("synchronous = off");
      db.exec(SCHEMA);
      const root = rowsOf(db);
      const adapter = new SqliteAdapter({ file });
      await adapter.open({ ...SCOPE, borrowed: true });
      await adapter.root();
      const mark = await adapter.mark();
      for (const { write, isUndone } of steps) {
        execute(db, write);
        await adapter.changed(mark);
        if (isUndone) await adapter.restore(mark);
      }
      const recorded = rowsOf(db);
      execute(db, inFlight);
      if (isLeaseOver) db.exec("update seqqa_lease set until = 0");
      execute(db, afterwards);
      const now = rowsOf(db);
      db.exec("update seqqa_owner set pid = 0");

      const dry = await stores.clean(`sqlite:${file}`, { dryRun: true });
      expect(rowsOf(db)).toEqual(now);
      const { leftover } = await stores.clean(`sqlite:${file}`);
      expect(leftover).toEqual(dry.leftover);
      const final = rowsOf(db);
      const kept = (table: string, key: number): RowImages | undefined =>
        leftover?.keep.find((row) => row.table === table && row.key === `id ${key}`);
      for (const table of ["orders", "items"] as const) {
        for (const key of new Set([root, recorded, now].flatMap((rows) => [...rows[table].keys()]))) {
          const [r, l, n] = [root, recorded, now].map((rows) => rows[table].get(key));
          if (n !== l || kept(table, key) !== undefined) expect(final[table].get(key), `${table} ${key} stays`).toBe(n);
          else expect(final[table].get(key), `${table} ${key} goes back`).toBe(r);
          // What is not logged any more is not known, and stays all the same.
          if (n !== l && n !== r && !isLeaseOver) expect(kept(table, key), `${table} ${key} is listed`).toBeDefined();
        }
        const largest = Math.max(0, ...final[table].keys());
        expect(db.prepare("select seq from sqlite_sequence where name = ?").pluck().get(table)).toBeGreaterThanOrEqual(largest);
      }
      expect(db.prepare("pragma foreign_key_check").all()).toEqual([]);
      expect(db.prepare("select name from sqlite_schema where name like 'seqqa%'").all()).toEqual([]);
      // Without anybody else, everything is back.
      if (inFlight.length + afterwards.length === 0) expect([final, leftover?.keep ?? []]).toEqual([root, []]);
      expect(() => adapter.close()).toThrow(expect.objectContaining({ code: "LEASE_OVER" }) as Error);
      db.close();
    }),
    { numRuns: size(16, 3_000) },
  );
});
