import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, laneCounts, some } from "../sizes.ts";
import { emptyFolder, folderWith, linkPackages, only, root, seqqa, writtenIn, type Explored } from "../support/e2e.ts";

/** A defect that was found ends a quick run. */
const FIRST: readonly string[] = full ? [] : ["--bail"];

async function explored(
  bug: string,
  parallel = "1",
): Promise<{ readonly status: number | null; readonly found: Explored; readonly stderr: string }> {
  const folder = emptyFolder();
  const args = ["run", join(root, "fixtures/third-party"), "--output", folder, "--parallel", parallel, ...(bug === "" ? [] : FIRST)];
  const { status, stderr } = await seqqa(args, { env: { BUG: bug } });
  return { status, stderr, found: only(writtenIn(folder)) };
}

describe("third parties as stores", () => {
  it("a correct API bears faults of its provider, webhooks that are late or come twice, with one digest for every number of lanes", async () => {
    const runs = [];
    for (const parallel of laneCounts) runs.push(await explored("", parallel));
    for (const { status, found } of runs) {
      expect(found.violations).toEqual([]);
      expect(found.divergences).toEqual([]);
      expect(found.verdict.text).toContain("exhaustive");
      expect(status).toBe(0);
    }
    expect(new Set(runs.map(({ found }) => found.digest)).size).toBe(1);
  });

  const defects: readonly (readonly [bug: string, invariant: string, path: string])[] = [
    ["retry", "one_charge", "create confirm payments_no_answer pay"],
    ["webhook", "credited_once", "create confirm pay payments_webhook payments_webhook_again"],
    ["trusting", "paid_is_charged", "create confirm payments_error pay"],
  ];
  // In the quick suite a target that trusts the provider is found below.
  it.each(some(defects, 2))("the defect %s breaks %s after %s", async (bug, invariant, path) => {
    const { status, found } = await explored(bug);
    expect(found.violations[0]).toMatchObject({ invariant, reproductionPath: path.split(" "), confirmed: true });
    expect(status).toBe(1);
  });

  it.each([
    ["stub://ftp", 'The url of systems.mail is "stub://ftp", which is not a valid stub URL.'],
    ["stub:http", "systems.mail.url is"],
    ["stub://smtp?openapi=./seqqa.yaml", 'The url of systems.mail is "stub://smtp?openapi='],
    ["stub://http?openapi=./none.yaml", "seqqa cannot read the OpenAPI description "],
    ["stub://http?openapi=./seqqa.yaml", "so it is not an OpenAPI description"],
  ])("the url %s is refused in one sentence", async (url, sentence) => {
    const folder = folderWith({
      "seqqa.yaml": `systems: { mail: { url: "${url}" } }\ntarget: { command: node server.mjs }\n`,
      "one.explore.ts":
        'import { Action, Agent } from "seqqa";\nexport const agent = new Agent({ name: "one", actions: [new Action({ name: "a", run: async (api) => api.get("/") })], invariants: [] });\n',
    });
    linkPackages(folder, "seqqa");
    const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
    expect(stderr).toContain(sentence);
    expect(status).toBe(2);
  });
});

const DESCRIPTION = `
openapi: 3.1.0
info: { title: Payments, version: "1" }
servers: [{ url: "https://api.payments.example/v1" }]
paths:
  /charges:
    post:
      responses:
        "400": { description: bad }
        "201":
          description: made
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Charge" }
  /charges/{id}:
    get:
      responses:
        2XX:
          description: found
          content: { application/json: { example: { id: ch_42, status: paid } } }
components:
  schemas:
    Charge:
      type: object
      required: [id, status]
      properties:
        id: { type: string, readOnly: true, pattern: "^ch_[0-9]{4}$" }
        status: { enum: [paid, refused] }
        card: { type: string, writeOnly: true }
`;

/** Pays at a provider and asks for the charge. `BUG=trusting`: a charge counts as paid, whatever the provider said. */
const TARGET = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, charge TEXT, seen TEXT)");
createServer(async (request, response) => {
  let status = 200;
  try {
    if (request.url === "/pay") {
      const answer = await fetch(process.env.PAYMENTS_URL + "/v1/charges", { method: "POST" });
      const charge = await answer.json();
      const isPaid = charge.status === "paid" || process.env.BUG === "trusting";
      if (isPaid) db.prepare("INSERT OR REPLACE INTO orders (id, charge) VALUES (1, ?)").run(charge.id ?? null);
    } else if (request.url === "/look") {
      const answer = await fetch(process.env.PAYMENTS_URL + "/charges/ch_1");
      db.prepare("UPDATE orders SET seen = ?").run((await answer.json()).id ?? null);
    } else if (request.url === "/refund") {
      if ((await fetch(process.env.PAYMENTS_URL + "/refunds", { method: "POST" })).status === 404) status = 404;
    }
  } catch { status = 502; }
  response.writeHead(status).end("{}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, Invariant, World } from "seqqa";
import { faultActions } from "seqqa/adapters/stub";
const rows = (world) => world.systems.db.query("SELECT * FROM orders");
export const agent = new Agent({
  name: "described",
  world: (lane) => {
    if (process.env.OWN === "1") lane.systems.payments.whenPost("/v1/charges").respond({ id: "own", status: "refused" });
    return new World({ systems: lane.systems });
  },
  actions: [
    new Action({ name: "pay", run: async (api) => api.post("/pay") }),
    new Action({ name: "look", run: async (api) => api.post("/look") }),
    new Action({ name: "refund", run: async (api) => api.post("/refund"), expectedStatus: [200, 404] }),
    ...faultActions("payments", { kinds: ["error"] }),
  ],
  invariants: [
    new Invariant({
      name: "paid_at_the_provider",
      check: (world) => rows(world).every(({ charge, seen }) => charge === "ch_1111" && (seen === null || seen === "ch_42")),
    }),
    new Invariant({
      name: "unmatched_are_known",
      check: (world) => world.systems.payments.calls.every(({ path, matched, fault }) => matched === (path !== "/refunds" || fault !== undefined)),
    }),
  ],
  maxDepth: 3,
});
`;

describe("a third party that answers as an OpenAPI description says", () => {
  const run = async (
    env: Readonly<Record<string, string>>,
    parallel = "1",
    flags: readonly string[] = full ? [] : ["--max-depth", "2"],
  ): Promise<{ readonly status: number | null; readonly found: Explored }> => {
    const folder = folderWith({
      "payments.yaml": DESCRIPTION,
      "server.mjs": TARGET,
      "seqqa.yaml": `systems: { payments: { url: "stub://http?openapi=./payments.yaml" } }
target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", PAYMENTS_URL: "{url:payments}", BUG: "\${BUG:-}" } }
`,
      "described.explore.mjs": EXPLORATION,
    });
    linkPackages(folder, "seqqa", "better-sqlite3");
    const output = emptyFolder();
    const { status } = await seqqa(["run", ".", "--output", output, "--parallel", parallel, ...flags], { cwd: folder, env });
    return { status, found: only(writtenIn(output)) };
  };

  it("answers with the example or by the schema, the same for every number of lanes, and 404 to what is not described", async () => {
    // Two lanes also in the quick suite, because they must keep their stubs apart.
    const runs = [];
    for (const parallel of full ? ["1", "2"] : ["2"]) runs.push(await run({}, parallel));
    for (const { status, found } of runs) {
      expect(found.violations).toEqual([]);
      expect(found.errors).toEqual([]);
      expect(found.divergences).toEqual([]);
      expect(found.coverage.actions["refund"]!.statuses).toHaveProperty("404");
      expect(status).toBe(0);
    }
    expect(new Set(runs.map(({ found }) => found.digest)).size).toBe(1);
  });

  it.each([
    ["a fault of the provider", { BUG: "trusting" }, "payments_error pay"],
    ["a reply in code, which comes first", { BUG: "trusting", OWN: "1" }, "pay"],
  ])("a target that trusts the provider is found by %s", async (_what, env, path) => {
    const { status, found } = await run(env as Readonly<Record<string, string>>, "1", FIRST);
    expect(found.violations[0]).toMatchObject({ invariant: "paid_at_the_provider", reproductionPath: path.split(" "), confirmed: true });
    expect(status).toBe(1);
  });
});
