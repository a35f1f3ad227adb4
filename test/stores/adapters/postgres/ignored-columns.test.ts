import { describe } from "vitest";
import { PostgresAdapter, stores } from "../../../../src/adapters/postgres/index.ts";
import { admin } from "../../../contract/system/postgres-databases.ts";
import { ignoredColumnsContract } from "../../../contract/ignored/ignored-columns.ts";
import { some } from "../../../sizes.ts";
import { scratch, type By } from "./scratch.ts";

describe.each(some<By>(["owner", "superuser", "granted owner"], 1))("as %s", (by) => {
  ignoredColumnsContract(async (schema) => {
    const { api, url, database } = await scratch(schema, by);
    return {
      open: async (scope, isRooted = true) => {
        const adapter = new PostgresAdapter({ url });
        await adapter.open(scope);
        if (isRooted) await adapter.root();
        return adapter;
      },
      exec: (sql) => api.query(sql),
      rows: async (sql) => (await api.query<unknown[]>({ text: sql, rowMode: "array" })).rows,
      kill: () =>
        admin((client) =>
          client.query("select pg_terminate_backend(pid, 1000) from pg_stat_activity where datname = $1 and application_name = 'seqqa'", [
            database,
          ]),
        ),
      clean: async () => (await stores.clean(url)).leftover,
    };
  });
});
