import { describe } from "vitest";
import mysql from "mysql2/promise";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { FAULTS_SCHEMA, faultsContract } from "../../../contract/faults/faults-contract.ts";

describe("write faults of mysql", () => {
  faultsContract({
    subject: async (faulty) => {
      const database = await newDatabase(FAULTS_SCHEMA);
      const url = await databaseUrl(database);
      const system = new MysqlAdapter({ url, checkpoint: "journal" });
      await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false, faulty });
      return {
        system,
        session: async () => {
          const connection = await mysql.createConnection({ uri: url, rowsAsArray: true });
          connection.on("error", () => undefined);
          return {
            run: async (sql) => {
              const [rows] = await connection.query(sql);
              return Array.isArray(rows) ? (rows as unknown[][]) : [];
            },
            end: () => connection.end(),
            die: () => connection.destroy(),
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
