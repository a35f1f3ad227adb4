import { afterAll, describe } from "vitest";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { size } from "../../sizes.ts";
import { databaseUrl, dropDatabase, dropDatabases, newDatabase } from "./postgres-databases.ts";
import { randomStatements, SCHEMA, SEED } from "./postgres-world.ts";
import { systemContract, type Subject } from "./system-contract.ts";
import { PostgresWriter } from "./writers/postgres-writer.ts";

let template: Promise<string> | undefined;
afterAll(dropDatabases);

async function apart(checkpoint: "journal" | "clone", borrowed: boolean, laneIndex: number): Promise<Subject> {
  template ??= newDatabase([...SCHEMA, ...SEED]);
  const database = await newDatabase([], await template);
  const url = await databaseUrl(database);
  const writer = new PostgresWriter(url);
  const system = new PostgresAdapter({ url, checkpoint });
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

describe("postgres journal, another process", () => {
  systemContract({ lane: (index) => apart("journal", false, index), cycles: size(100, 10_000) });
});

describe("postgres journal, borrowed, other seeds", () => {
  systemContract({ lane: (index) => apart("journal", true, index), cycles: size(60, 2000), seed: 77 });
});
