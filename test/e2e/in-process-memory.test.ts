import { expect, it, onTestFinished } from "vitest";
import { emptyFolder, folderWith, linkPackages, only, seqqa, writtenIn } from "../support/e2e.ts";

/** Keeps in memory which orders are paid. A restore of the store does not restore this memory, so that open orders are shown as paid. */
const TARGET = `
import Database from "better-sqlite3";
const paid = new Set();
export function createTarget(lane) {
  const db = new Database(lane.dbPath);
  db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT NOT NULL)");
  return ({ method, url }) => {
    const order = db.prepare("SELECT * FROM orders").get();
    if (method === "GET") return Response.json({ paid: paid.has(1) });
    if (url.endsWith("/create")) {
      if (order !== undefined) return Response.json({}, { status: 409 });
      db.exec("INSERT INTO orders (id, status) VALUES (1, 'open')");
    } else {
      if (order?.status !== "open") return Response.json({}, { status: 409 });
      db.exec("UPDATE orders SET status = 'paid'");
      paid.add(1);
    }
    return Response.json({});
  };
}
`;

const EXPLORATION = `
import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({
  name: "orders",
  actions: ["create", "pay"].map((name) => new Action({ name, run: (api) => api.post("/" + name) })),
  invariants: [
    new Invariant({
      name: "shows_payments",
      check: async (world) => {
        const [order] = world.systems.db.query("SELECT status FROM orders");
        return (await world.api.get("/")).json().paid === (order?.status === "paid");
      },
    }),
  ],
});
`;

it.each(["1", "2"])("a finding that only an older memory of target.module explains is not confirmed, on %s lanes", async (lanes) => {
  const folder = folderWith({
    "target.mjs": TARGET,
    "seqqa.yaml": 'target: { module: target.mjs, env: { DB_PATH: "{db_path}" } }\n',
    "orders.explore.mjs": EXPLORATION,
  });
  linkPackages(folder, "seqqa", "better-sqlite3");
  const output = emptyFolder();
  const { status } = await seqqa(["run", ".", "--output", output, "--parallel", lanes], { cwd: folder });
  expect(only(writtenIn(output)).violations).toMatchObject([{ invariant: "shows_payments", confirmed: false }]);
  expect(status).toBe(3);
});

it("a note says that new targets kept the memory of target.module, because it can be evaluated only once", async () => {
  const once = 'if (globalThis.seqqaTestMetric) throw new Error("The metric exists already."); globalThis.seqqaTestMetric = true;';
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "seqqaTestMetric"));
  const folder = folderWith({
    "target.mjs": `${once}\n${TARGET}`,
    "seqqa.yaml": 'target: { module: target.mjs, env: { DB_PATH: "{db_path}" } }\n',
    "orders.explore.mjs": EXPLORATION,
  });
  linkPackages(folder, "seqqa", "better-sqlite3");
  const output = emptyFolder();
  await seqqa(["run", ".", "--output", output], { cwd: folder });
  expect(only(writtenIn(output)).notes.filter((note) => note.includes("memory"))).toEqual([
    expect.stringMatching(/^seqqa could not start new targets with empty memory, .*\(The metric exists already\.\)\. .*--parallel 2/),
  ]);
});
