import { describe, expect, it } from "vitest";
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

it("a user's own file has nothing of the faults once it is closed", async () => {
  const file = scratchFile();
  const db = api(file, ...FAULTS_SCHEMA);
  const system = new SqliteAdapter({ file });
  await system.open({ ...SCOPE, borrowed: true, faulty: true });
  const ours = (): unknown[] => db.prepare("select name from sqlite_schema where name glob 'seqqa_f*' or name = 'seqqa_passed'").all();
  expect(ours().length).toBe(3 * 2 + 2);
  await system.root();
  const faults = system.writeFaults();
  if (faults.kind === "none") throw new Error(faults.why);
  await faults.watch();
  db.exec("insert into payments values (1, 5)");
  expect(await faults.watched(Promise.resolve())).toBe(1);
  await faults.arm(1, "error");
  await system.close();
  expect(db.prepare("select name from sqlite_schema where name like 'seqqa%'").all()).toEqual([]);
  expect(db.prepare("select count(*) as n from payments").get()).toEqual({ n: 0 });
});
