import { describe } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { size } from "../../../sizes.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { randomStatements, SCHEMA, SEED } from "../../../contract/system/mysql-world.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";

async function apart(checkpoint: "journal" | "copy", borrowed: boolean, laneIndex: number): Promise<Subject> {
  const database = await newDatabase(["set timestamp = 1700000000", ...SCHEMA, ...SEED]);
  const url = await databaseUrl(database);
  const writer = new Writer("mysql-writer.mjs", url);
  const system = new MysqlAdapter({ url, checkpoint });
  await system.open({ name: "db", laneIndex, inProcess: false, borrowed });
  if (system.checkpoint.mode !== checkpoint) throw new Error(`chose ${system.checkpoint.mode}: ${system.checkpoint.why}`);
  return {
    system,
    write: async (random) => void (await writer.run(...randomStatements(random))),
    close: async () => {
      await writer.stop();
      await system.close();
      await dropDatabase(database);
    },
  };
}

describe("mysql journal, another process", () => {
  systemContract({ lane: (index) => apart("journal", false, index), cycles: size(5, 10_000) });
});

describe("mysql journal, borrowed, other seeds", () => {
  systemContract({ lane: (index) => apart("journal", true, index), cycles: size(5, 2000), seed: 77, brief: true });
});

describe("mysql copy, another process", () => {
  systemContract({ lane: (index) => apart("copy", false, index), cycles: size(5, 1000), seed: 31, brief: true });
});
