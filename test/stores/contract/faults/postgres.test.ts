import { describe } from "vitest";
import pg from "pg";
import { PostgresAdapter } from "../../../../src/adapters/postgres/index.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/postgres-databases.ts";
import { FAULTS_SCHEMA, faultsContract } from "../../../contract/faults/faults-contract.ts";

describe("write faults of postgres", () => {
  faultsContract({
    subject: async (faulty) => {
      const database = await newDatabase(FAULTS_SCHEMA);
      const url = await databaseUrl(database);
      const system = new PostgresAdapter({ url, checkpoint: "journal" });
      await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false, faulty });
      return {
        system,
        session: async () => {
          const client = new pg.Client({ connectionString: url });
          client.on("error", () => undefined);
          await client.connect();
          return {
            run: async (sql) => {
              const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
              return rows.map((row) => row.map((value) => (typeof value === "string" ? Number(value) : value)));
            },
            end: () => client.end(),
            die: () => void client.connection.stream.destroy(),
          };
        },
        close: async () => {
          await system.close();
          await dropDatabase(database);
        },
      };
    },
    kinds: ["error", "cut", "kill"],
    countsRows: false,
  });
});
