import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { emptyFolder, folderWith, linkPackages, only, seqqa, writtenIn, type Explored } from "../support/e2e.ts";
import { onPostgres, template } from "../support/store-templates.ts";

/** Two columns have `DEFAULT now()`. With `OWN=1` the target writes them itself. */
const TARGET = `
import pg from "pg";

export async function createTarget(lane) {
  const pool = new pg.Pool({ connectionString: lane.dbUrl, max: 1 });
  pool.on("error", () => undefined);
  const fetch = async (request) => {
    if (request.method === "POST") {
      const now = new Date();
      if ((await pool.query("SELECT 1 FROM orders")).rowCount >= 2) return new Response("{}", { status: 409 });
      if (process.env.OWN === "1") {
        await pool.query("INSERT INTO orders (ordered_at, created_at, updated_at) VALUES ($1, $1, $1)", [now]);
      } else await pool.query("INSERT INTO orders (ordered_at) VALUES ($1)", [now]);
    }
    return new Response("{}");
  };
  return { fetch, close: () => pool.end() };
}
`;

const EXPLORATION = `
import { Action, Agent } from "seqqa";
import { advanceClock } from "seqqa/adapters/clock";
export const agent = new Agent({
  name: "orders",
  actions: [new Action({ name: "order", run: async (api) => api.post("/orders"), expectedStatus: [200, 409] }), advanceClock("10 days")],
  invariants: [],
  maxDepth: 3,
});
`;

async function explored(own: string, parallel: string): Promise<Explored> {
  const db = await template("postgres");
  await onPostgres(
    db,
    `CREATE TABLE orders (id serial PRIMARY KEY, ordered_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
  );
  const folder = folderWith({
    "target.mjs": TARGET,
    "seqqa.yaml": `db_url: ${db}\nsystems: { clock: { url: "clock://in-process" } }\ntarget: { module: target.mjs }\n`,
    "orders.explore.mjs": EXPLORATION,
  });
  linkPackages(folder, "seqqa", "pg");
  const output = emptyFolder();
  const { stderr } = await seqqa(["run", ".", "--output", output, "--parallel", parallel], { cwd: folder, env: { OWN: own } });
  expect(stderr).not.toContain("error:");
  return only(writtenIn(output));
}

const notesOf = ({ notes }: Explored): readonly string[] => notes.filter((note) => note.includes("the clock of the store"));

describe("columns that a store fills by its own clock", { timeout: 300_000 }, () => {
  it("are named once each where the target's clock moves, for every number of lanes", async () => {
    const runs: Explored[] = [];
    for (const lanes of laneCounts) runs.push(await explored("", lanes));
    for (const found of runs) {
      expect(notesOf(found)).toEqual(
        ["created_at", "updated_at"].map(
          (column) =>
            `The column orders.${column} gets its time from the clock of the store, which seqqa does not move together with the clock of the target: let the target write the time.`,
        ),
      );
      expect(found.errors).toEqual([]);
      expect(found.unjudgedRules ?? []).toEqual([]);
    }
    expect(new Set(runs.map(({ digest }) => digest)).size).toBe(1);
  });

  it("are not named if the target writes the time", async () => {
    const found = await explored("1", "1");
    expect(found.statesVisited).toBeGreaterThan(4);
    expect(notesOf(found)).toEqual([]);
  });
});
