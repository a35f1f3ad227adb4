import { afterAll, describe } from "vitest";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { size } from "../../sizes.ts";
import { databaseUrl, dropDatabase, dropDatabases, newDatabase } from "./postgres-databases.ts";
import { CLONE_SCHEMA, randomCloneStatements, randomStatements, SCHEMA, SEED } from "./postgres-world.ts";
import { systemContract, type Subject } from "./system-contract.ts";
import { PostgresWriter } from "./writers/postgres-writer.ts";

const templates: { journal?: Promise<string>; clone?: Promise<string> } = {};
afterAll(dropDatabases);

async function apart(checkpoint: "journal" | "clone", borrowed: boolean, laneIndex: number): Promise<Subject> {
  templates[checkpoint] ??= newDatabase(checkpoint === "clone" ? CLONE_SCHEMA : [...SCHEMA, ...SEED]);
  const database = await newDatabase([], await templates[checkpoint]);
  const url = await databaseUrl(database);
  const writer = new PostgresWriter(url);
  const system = new PostgresAdapter({ url, checkpoint });
  await system.open({ name: "db", laneIndex, inProcess: false, borrowed });
  if (system.checkpoint.mode !== checkpoint) throw new Error(`chose ${system.checkpoint.mode}: ${system.checkpoint.why}`);
  return {
    system,
    write: async (random) =>
      void (await writer.run(...(checkpoint === "clone" ? randomCloneStatements(random) : randomStatements(random)))),
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

describe("postgres clone, another process", () => {
  systemContract({ lane: (index) => apart("clone", false, index), cycles: size(8, 200), seed: 5 });
});
