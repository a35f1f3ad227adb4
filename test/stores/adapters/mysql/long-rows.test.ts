import { expect, test, vi } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { readCatalog } from "../../../../src/adapters/mysql/schema/catalog.ts";
import { Control } from "../../../../src/adapters/mysql/connect/control.ts";
import { imagesIn } from "../../../../src/adapters/mysql/read/observe.ts";
import { recover } from "../../../../src/adapters/mysql/journal/recover.ts";
import { storeUrl } from "../../../../src/adapters/mysql/connect/store-url.ts";
import type { StoreScope } from "../../../../src/model/stores/store-adapter.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const BORROWED: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: true };
const TABLE = ["create table t(id int primary key, v text)", "insert into t values (1, 'a'), (2, 'b')"];

/** A run whose log has what stands for a row that was too long: a session may have a shorter packet than ours can be asked for. */
async function logged(work: (system: MysqlAdapter, url: string) => Promise<void>): Promise<void> {
  const database = await newDatabase(TABLE);
  const url = await databaseUrl(database);
  const system = new MysqlAdapter({ url });
  await system.open(BORROWED);
  await system.root();
  await admin(
    (connection) => connection.query("delete from t where id = 2; update seqqa_journal_log set old = '!' where old is not null"),
    database,
  );
  await work(system, url);
}

test("a row in the log that was too long is told as such, and what it belongs to", () =>
  logged(async (system) => {
    await expect(system.observe()).rejects.toMatchObject({
      code: "ROW_TOO_LONG",
      message: expect.stringContaining('a row of table "t"'),
      hint: expect.stringContaining("max_allowed_packet"),
    });
    await expect(system.close()).rejects.toMatchObject({ code: "STORE_NOT_PUT_BACK" });
  }));

test("recover says that the log lacks a row, and leaves what it found", () =>
  logged(async (system, url) => {
    await expect(system.close()).rejects.toMatchObject({ code: "STORE_NOT_PUT_BACK" });
    for (let again = 0; again < 2; again++) {
      await expect(recover(url)).rejects.toMatchObject({
        code: "STORE_NOT_PUT_BACK",
        message: expect.stringMatching(
          /table "t" has a changed row that seqqa could not record, because the row is longer than the server's max_allowed_packet/,
        ),
        exitStatus: 2,
      });
    }
  }));

test("a row of the root that is too long says what to do", async () => {
  const control = await Control.open(storeUrl(await databaseUrl(await newDatabase(TABLE))), false);
  try {
    const table = (await readCatalog(control)).tables[0]!;
    // As the server answers for an image that is longer than its longest packet.
    expect(() => imagesIn(table, [[null]])).toThrow(
      expect.objectContaining({ code: "ROW_TOO_LONG", hint: expect.stringContaining("max_allowed_packet") as string }) as Error,
    );
  } finally {
    await control.close();
  }
});

test("what the server says that nobody foresaw has a code and a hint", async () => {
  const rows = vi.spyOn(Control.prototype, "batch").mockRejectedValueOnce(Object.assign(new Error("Disk is full"), { errno: 1021 }));
  try {
    await expect(new MysqlAdapter({ url: await databaseUrl(await newDatabase(TABLE)) }).open(BORROWED)).rejects.toMatchObject({
      code: "STORE_NOT_OPENED",
      message: expect.stringMatching(/could not prepare the database .*: Disk is full\.$/),
      hint: expect.stringContaining("seqqa doctor"),
    });
  } finally {
    rows.mockRestore();
  }
});
