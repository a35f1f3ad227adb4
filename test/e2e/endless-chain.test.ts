import { join } from "node:path";
import { expect, it } from "vitest";
import { laneCounts, some } from "../sizes.ts";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";
import { NOTES_CONFIG } from "../support/e2e-servers.ts";

/** One order line whose quantity grows without an end. */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS order_line (id INTEGER PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL, gift INTEGER NOT NULL)");
db.exec("INSERT OR IGNORE INTO order_line VALUES (1, 'pen', 0, 0)");

createServer((request, response) => {
  if (request.url === "/items") db.exec("UPDATE order_line SET quantity = quantity + 1");
  if (request.url === "/gift") db.exec("UPDATE order_line SET gift = 1 - gift");
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(db.prepare("SELECT * FROM order_line").all()));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  actions: [
    new Action({ name: "add_item", run: async (api) => api.post("/items") }),
    new Action({ name: "wrap", run: async (api) => api.post("/gift") }),
  ],
  invariants: [],
});
`;

const NOTE =
  "add_item led to a new state 30 times in a row; order_line.quantity changes each time. Add a precondition to this action, or set max_depth.";

it.each(laneCounts)(
  "says which action leads to new states without an end, and which column changes, with --parallel %s",
  async (parallel) => {
    const cwd = folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": SERVER, "orders.explore.ts": EXPLORATION });
    for (const strategy of some(["bfs", "dfs"], 1)) {
      const args = ["run", ".", "--strategy", strategy, "--max-steps", "400", "--parallel", parallel, "--output", strategy];
      const ran = await seqqa(args, { cwd });
      const { notes } = only(writtenIn(join(cwd, strategy)));
      expect(notes.filter((note) => note.includes("in a row"))).toEqual([NOTE]);
      // Once on the console: while the run goes on, on standard error.
      expect(ran.stderr.split(NOTE)).toHaveLength(2);
      expect(ran.stdout).not.toContain(NOTE);
    }
  },
);
