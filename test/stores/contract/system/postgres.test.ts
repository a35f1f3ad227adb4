import { describe, expect, test } from "vitest";
import { PostgresAdapter } from "../../../../src/adapters/postgres/index.ts";
import { size } from "../../../sizes.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/postgres-databases.ts";
import { CLONE_SCHEMA, randomCloneStatements, randomStatements, SCHEMA, SEED } from "../../../contract/system/postgres-world.ts";
import { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";

const templates: { journal?: Promise<string>; clone?: Promise<string> } = {};

async function apart(checkpoint: "journal" | "clone", borrowed: boolean, laneIndex: number): Promise<Subject> {
  templates[checkpoint] ??= newDatabase(checkpoint === "clone" ? CLONE_SCHEMA : [...SCHEMA, ...SEED]);
  const database = await newDatabase([], await templates[checkpoint]);
  const url = await databaseUrl(database);
  const writer = new Writer("postgres-writer.mjs", url);
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
  systemContract({ lane: (index) => apart("journal", false, index), cycles: size(5, 10_000) });
});

describe("postgres journal, borrowed, other seeds", () => {
  systemContract({ lane: (index) => apart("journal", true, index), cycles: size(5, 2000), seed: 77, brief: true });
});

test("postgres journal, three lanes of one server at once", async () => {
  const lanes = await Promise.all([0, 1, 2].map((index) => apart("journal", false, index)));
  const roots = await Promise.all(
    lanes.map(async ({ system }) => [await system.root(), await system.mark(), await system.dump()] as const),
  );
  expect(new Set(roots.map(([, , dump]) => dump)).size).toBe(1);
  await Promise.all(
    lanes.map(async ({ system, write }, lane) => {
      const random = new Random(100 + lane);
      const [, root, dump] = roots[lane]!;
      for (let cycle = 0; cycle < size(6, 1500); cycle++) {
        for (let writes = random.below(5); writes > 0; writes--) await write(random);
        const [mark, then] = [await system.mark(), await system.dump()];
        await write(random);
        await system.observe();
        await system.restore(mark);
        expect(await system.dump(), `lane ${lane}, cycle ${cycle}`).toBe(then);
        if (random.chance(50)) {
          await system.restore(root);
          expect(await system.dump(), `lane ${lane}, cycle ${cycle}`).toBe(dump);
        }
      }
    }),
  );
  for (const { close } of lanes) await close();
});

describe("postgres clone, another process", () => {
  systemContract({ lane: (index) => apart("clone", false, index), cycles: size(5, 200), seed: 5, brief: true });
});
