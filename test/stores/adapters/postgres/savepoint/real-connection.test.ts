import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresAdapter } from "../../../../../src/adapters/postgres/postgres-adapter.ts";
import { randomTexts, SCHEMA, SEED } from "../../../../contract/system/postgres-savepoint-world.ts";
import { Random } from "../../../../contract/system/random.ts";
import { size } from "../../../../sizes.ts";
import { Databases } from "./databases.ts";

let databases: Databases;
let template: string;

beforeAll(async () => {
  databases = await Databases.open();
  template = await databases.create([...SCHEMA, ...SEED]);
});

afterAll(() => databases.close());

/** Times differ from run to run. */
const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d|Z)?/g, "(time)");

/** Rows are in the order of their text, times included. */
const sorted = (dump: string): string => withoutTimes(dump).split("\n").sort().join("\n");

function outcome(result: unknown): string {
  const all = (Array.isArray(result) ? result : [result]) as pg.QueryResult[];
  return withoutTimes(JSON.stringify(all.map(({ command, rowCount, rows }) => [command, rowCount, rows])));
}

async function answer(query: Promise<unknown>): Promise<string> {
  return query.then(outcome, (error: pg.DatabaseError) => `${error.code} ${error.message} ${error.position ?? ""}`);
}

const SCOPE = { name: "db", laneIndex: 0, inProcess: true, borrowed: false };
const PROBES =
  "select current_setting('app.tenant', true), current_setting('timezone'), current_setting('transaction_read_only'), current_user";

test("answers and leaves behind exactly what a connection of its own would", async () => {
  const seeds = size(3, 60);
  for (let seed = 1; seed <= seeds; seed++) {
    const [plain, shared] = [await databases.create([], template), await databases.create([], template)];
    const real = new pg.Client({ connectionString: databases.url(plain) });
    real.on("error", () => undefined);
    await real.connect();
    const adapter = new PostgresAdapter({ url: databases.url(shared) });
    const { connection } = adapter;
    await adapter.open(SCOPE);
    await adapter.root();
    const random = new Random(seed);
    const said: string[] = [];
    const both = async (text: string, values?: unknown[]): Promise<void> => {
      const [here, there] = [await answer(connection.query(text, values)), await answer(real.query(text, values))];
      said.push(text);
      expect(here, `seed ${seed}: ${said.slice(-12).join(" | ")}`).toBe(there);
    };
    for (let round = 0; round < 60; round++) {
      for (const text of randomTexts(random)) {
        await both(text);
        // After a failure the driver learns the status of the transaction with the next answer.
        await real.query("");
        expect(connection.getTransactionStatus(), said.slice(-12).join(" | ")).toBe(real.getTransactionStatus());
        if (random.chance(10)) await both("select $1::int + 1 as n", [round]);
      }
      await both("rollback");
      await both(PROBES);
      if (random.chance(20)) await adapter.mark();
    }
    await real.end();
    const reading = new PostgresAdapter({ url: databases.url(plain), checkpoint: "savepoint" });
    await reading.open(SCOPE);
    expect(sorted(await adapter.dump()), `seed ${seed}`).toBe(sorted(await reading.dump()));
    await reading.close();
    await adapter.close();
    await databases.drop(plain);
    await databases.drop(shared);
  }
});
