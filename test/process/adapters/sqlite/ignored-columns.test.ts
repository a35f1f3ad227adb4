import type Database from "better-sqlite3";
import { SqliteAdapter, stores } from "../../../../src/adapters/sqlite/index.ts";
import { ignoredColumnsContract } from "../../../contract/ignored/ignored-columns.ts";
import { api, scratchFile } from "../../../support/sqlite-scratch.ts";

ignoredColumnsContract(async (schema) => {
  const file = scratchFile();
  const db: Database.Database = api(file, ...schema);
  return {
    open: async (scope, isRooted = true) => {
      const adapter = new SqliteAdapter({ file });
      await adapter.open(scope);
      if (isRooted) await adapter.root();
      return adapter;
    },
    exec: (sql) => db.exec(sql),
    rows: (sql) => db.prepare<[], unknown[]>(sql).raw().all(),
    // The next one takes its process for dead.
    kill: () => db.exec("update seqqa_owner set pid = 0"),
    clean: async () => (await stores.clean(`sqlite:${file}`)).leftover,
  };
});
