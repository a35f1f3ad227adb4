import { describe, expect, test } from "vitest";
import { stores } from "../../../../src/adapters/postgres/index.ts";
import { adapterOn, column, failure, SCOPE, scratch } from "./scratch.ts";

const TABLES = [
  "create table orders(id serial primary key, status text)",
  "create foreign data wrapper dummy",
  "create server elsewhere foreign data wrapper dummy",
  "create schema remote",
  "create foreign table remote.films(id int) server elsewhere",
];
/** One that is a part of a table here. */
const PARTITION = [
  "create table sales(year int) partition by range (year)",
  "create table sales_now partition of sales for values from (2020) to (2030)",
  "create foreign table sales_old partition of sales for values from (2000) to (2020) server elsewhere",
];

describe.each(["auto", "journal", "clone", "savepoint"] as const)("a foreign table, %s", (checkpoint) => {
  const scope = { ...SCOPE, inProcess: checkpoint === "savepoint" };

  test("is refused by name, unless `tables` or `schemas` leaves it out", async () => {
    const { url, api } = await scratch(TABLES);
    for (const options of [{}, { schemas: ["remote"] }, { tables: ["orders", "remote.films"] }]) {
      const adapter = adapterOn(url, { checkpoint, ...options });
      const refused = await adapter.open({ ...scope, borrowed: checkpoint !== "clone" }).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "STORE_NOT_SUPPORTED",
        exitStatus: 2,
        message: expect.stringMatching(/foreign table "remote\.films" .* its rows are on the server "elsewhere"/),
        hint: expect.stringContaining("`tables`"),
      });
      await adapter.close();
    }
    expect(await column(api, "select nspname from pg_namespace where nspname like 'seqqa%'")).toEqual([]);
    for (const options of [{ tables: ["orders"] }, { schemas: ["public"] }]) {
      const adapter = adapterOn(url, { checkpoint, ...options });
      await adapter.open(scope);
      await adapter.root();
      await adapter.restore(await adapter.mark());
      await adapter.close();
    }
  });
});

test("a foreign partition belongs to the state with the table that it is a part of", async () => {
  const { url } = await scratch([...TABLES, ...PARTITION]);
  await expect(adapterOn(url, { tables: ["sales"] }).open(SCOPE)).rejects.toEqual(failure("STORE_NOT_SUPPORTED", '"sales_old"'));
  await adapterOn(url, { tables: ["orders"] }).open(SCOPE);
});

test("check names it", async () => {
  const { url } = await scratch(TABLES);
  expect(await stores.check(url)).toContainEqual({
    ok: true,
    what: "checkpoint",
    says: expect.stringMatching(/cannot restore the rows of the foreign table "remote\.films": .*`tables`/),
  });
});
