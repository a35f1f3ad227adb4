import { describe, expect, test, vi } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { some } from "../../../sizes.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const LANE = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

/** DDL that leaves a table its id and its number of columns. */
describe("a schema that is altered in place while exploring", () => {
  const statements = [
    "alter table t modify v varchar(30)",
    "create trigger t after delete on t for each row insert into u values (old.id)",
    "create or replace view t2 as select 2 as two",
    "drop trigger seqqa_journal_0_ai",
    "create index i on t(v)",
    "alter table t change v w varchar(20)",
    "alter table t alter column v set default 'x'",
    "drop view t2",
    "create procedure t() select 1",
  ];
  test.each(some(statements, 4))("%s: is noticed, by name", async (sql) => {
    const database = await newDatabase([
      "create table t(id int auto_increment primary key, v varchar(20))",
      "create table u(id int)",
      "create view t2 as select 1 as one",
    ]);
    const system = new MysqlAdapter({ url: await databaseUrl(database) });
    const run = (text: string): Promise<unknown> => admin((connection) => connection.query(text), database);
    await system.open(LANE);
    try {
      await system.root();
      // What only moves AUTO_INCREMENT is no change.
      await run("insert into t(v) values ('x')");
      await new Promise((resolve) => setTimeout(resolve, 100));
      await system.mark();
      await run(sql);
      await vi.waitFor(
        () =>
          expect(system.mark()).rejects.toMatchObject({
            code: "SCHEMA_CHANGED",
            message: expect.stringMatching(/"(?:t2?|seqqa_journal_0_ai)"/),
          }),
        {
          timeout: 30_000,
          interval: 20,
        },
      );
    } finally {
      await system.close();
    }
  });
});
