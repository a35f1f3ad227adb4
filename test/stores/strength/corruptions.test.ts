import { expect, it, onTestFinished } from "vitest";
import { MysqlAdapter } from "../../../src/adapters/mysql/index.ts";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { measureStrength } from "../../../src/strength/index.ts";
import { onMysql, onPostgres, template } from "../../support/store-templates.ts";
import { explore } from "../../support/explored-model.ts";

/** Tables whose rows are not copied by `INSERT INTO items SELECT *` with another text as their key. */
const TABLES = [
  ["postgres", "id UUID PRIMARY KEY", "gen_random_uuid()"],
  ["postgres", "id INTEGER PRIMARY KEY GENERATED ALWAYS AS IDENTITY", "DEFAULT"],
  ["postgres", "id BYTEA PRIMARY KEY", "'\\x00ff'"],
  ["mysql", "id CHAR(36) PRIMARY KEY", "UUID()"],
  ["mysql", "id BINARY(16) PRIMARY KEY", "UNHEX(REPLACE(UUID(), '-', ''))"],
] as const;

it.each(TABLES)("a row of %s with %s and a generated column can be doubled", async (kind, key, value) => {
  const url = await template(kind);
  const on = kind === "postgres" ? onPostgres : onMysql;
  await on(
    url,
    `CREATE TABLE items (${key}, status VARCHAR(20) NOT NULL, price NUMERIC(10, 2) NOT NULL, twice NUMERIC(10, 2) GENERATED ALWAYS AS (price * 2) STORED)`,
  );
  await on(url, `INSERT INTO items (id, status, price) VALUES (${value}, 'new', 12.50)`);
  const adapter = kind === "postgres" ? new PostgresAdapter({ url }) : new MysqlAdapter({ url });
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
  onTestFinished(async () => adapter.close());
  await adapter.root();
  const mark = await adapter.mark();
  const row = (status: string, price: string): object => ({ items: [{ id: "#1", status, price, twice: "1.00" }] });
  const of = explore({ items: [] }, {
    create: ({ items }) => (items!.length > 0 ? undefined : row("new", "12.50")),
    pay: ({ items }) => (items![0]?.["status"] === "new" ? row("paid", "11.50") : undefined),
  } as Parameters<typeof explore>[1]);
  const doubled: number[] = [];
  const { places, failed, refused } = await measureStrength(
    of,
    {
      goTo: () => adapter.restore(mark),
      step: async (_action, spoil) => {
        await spoil?.({ db: adapter });
        doubled.push((await adapter.query("SELECT id FROM items")).length);
        return { kind: "executed", broken: [], errors: [] };
      },
    },
    () => false,
  );
  expect({ failed, refused }).toEqual({ failed: { count: 0, first: undefined }, refused: 0 });
  expect(places.map(({ column, kind: way }) => `${column ?? ""} ${way}`)).toEqual(
    expect.arrayContaining([" a row doubled", "price one less", "price one more", "status another word"]),
  );
  expect(doubled).toContain(2);
});
