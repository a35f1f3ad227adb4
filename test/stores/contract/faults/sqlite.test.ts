import { describe } from "vitest";
import { SqliteAdapter } from "../../../../src/adapters/sqlite/index.ts";
import { FAULTS_SCHEMA, faultsContract } from "../../../contract/faults/faults-contract.ts";
import { api, SCOPE, scratchFile } from "../../../support/sqlite-scratch.ts";

describe("write faults of sqlite", () => {
  faultsContract({
    subject: async (faulty) => {
      const file = scratchFile();
      api(file, ...FAULTS_SCHEMA);
      const system = new SqliteAdapter({ file, checkpoint: "journal" });
      await system.open({ ...SCOPE, faulty });
      return {
        system,
        session: () => {
          const db = api(file);
          return Promise.resolve({
            run: async (sql) => {
              const statement = db.prepare(sql);
              return statement.reader ? (statement.raw().all() as unknown[][]) : (statement.run(), []);
            },
            end: async () => void db.close(),
          });
        },
        close: async () => system.close(),
      };
    },
    kinds: ["error"],
    countsRows: true,
  });
});
