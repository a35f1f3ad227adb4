import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { folderWith, linkPackages, only, seqqa, writtenIn, type Ran } from "../support/e2e.ts";
import { typeErrors } from "../support/type-check.ts";

/** Two orders at most, which are paid, refunded and shipped. With DEFECT one is refunded as often as one asks, or shipped after its refund. */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT NOT NULL, amount INTEGER NOT NULL, refunded INTEGER NOT NULL, shipped_at TEXT)");
const has = (defect) => process.env.DEFECT === defect;
createServer((request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json", "x-rows": JSON.stringify(db.prepare("SELECT * FROM orders").all()) }).end(JSON.stringify(body ?? null));
  const order = db.prepare("SELECT * FROM orders ORDER BY id DESC").get();
  if (request.url === "/orders") {
    if (order?.id === 2) return send(409);
    db.exec("INSERT INTO orders (status, amount, refunded) VALUES ('created', 100, 0)");
    return send(201);
  }
  if (order === undefined) return send(404);
  const set = (from, sql) => (from.includes(order.status) ? send(200, db.prepare("UPDATE orders SET " + sql + " WHERE id = ?").run(order.id)) : send(409));
  if (request.url === "/pay") return set(["created"], "status = 'paid'");
  if (request.url === "/ship") return set(has("ship") ? ["paid", "refunded"] : ["paid"], "status = 'shipped', shipped_at = '2026-01-01'");
  if (has("refund") && order.refunded > 200) return send(409);
  set(has("refund") ? ["paid", "refunded"] : ["paid"], "status = 'refunded', refunded = refunded + amount");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const exploration = (invariants: string): string => `
import { Action, Agent } from "seqqa";
import { Rule } from "seqqa/rules";
${invariants.includes("suggested") ? 'import { suggested } from "./orders.suggested.ts";' : ""}
type Db = { query(sql: string): readonly object[] };
const rowsOf = (systems: object): string => JSON.stringify((systems as { db: Db }).db.query("SELECT * FROM orders"));
// The server says with each answer what its rows are.
export const exact = new Rule({
  name: "exact",
  message: "the rows are not those that the API answered with",
  judge: ({ systems }, { answers }) => rowsOf(systems) === answers.at(-1)?.headers["x-rows"],
});
const call = (name: string, path: string) => new Action({ name, run: async (api) => api.post(path) });
export const agent = new Agent({
  name: "orders",
  actions: [call("create", "/orders"), call("pay", "/pay"), call("refund", "/refund"), call("ship", "/ship")],
  invariants: [${invariants}],
});
`;

let cwd = "";
const run = (defect: string): Promise<Ran> => seqqa(["run", ".", "--output", "out"], { cwd, env: { DEFECT: defect } });
const suggest = (...args: readonly string[]): Promise<Ran> => seqqa(["suggest", ...args, "--output", "out"], { cwd });

beforeAll(() => {
  cwd = folderWith({
    "server.mjs": SERVER,
    "orders.explore.ts": exploration(""),
    "seqqa.yaml": 'target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", DEFECT: "${DEFECT:-}" } }\n',
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        module: "nodenext",
        target: "es2023",
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: [],
      },
      include: ["*.ts"],
    }),
  });
  linkPackages(cwd, "seqqa", "better-sqlite3");
});

it("of a correct API is written as rules that type-check, hold there, and find defects", async () => {
  expect(await run("")).toMatchObject({ status: 0 });
  const written = await suggest("orders", "--write", "--most", "20");
  expect(written.status).toBe(0);
  expect(written.stderr).toContain(
    'to orders.suggested.ts. Delete the rules that you do not want, and add these lines to orders.explore.ts:\n  import { suggested } from "./orders.suggested.ts";',
  );
  const code = readFileSync(join(cwd, "orders.suggested.ts"), "utf8");
  for (const rule of [
    'transitions("orders.status", { created: ["paid"], paid: ["refunded","shipped"] }, { initial: ["created"] })',
    'neverAbove("orders.refunded", "orders.amount")',
    'implies("orders", { status: "shipped" }, { shipped_at: { not: null } })',
    'immutable("orders.amount")',
  ]) {
    expect(code).toContain(`  ${rule},\n`);
  }
  // Nothing of the user's is overwritten.
  expect(await suggest("orders", "--write")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("orders.suggested.ts already exists") as string,
  });
  expect(readFileSync(join(cwd, "orders.suggested.ts"), "utf8")).toBe(code);

  writeFileSync(join(cwd, "orders.explore.ts"), exploration("...suggested"));
  expect(typeErrors(cwd)).toEqual([]);
  expect((await run("")).status).toBe(0);
  const found = [
    ["ship", "transitions_orders_status"],
    ["refund", "never_above_orders_refunded_orders_amount"],
  ] as const;
  for (const [defect, rule] of some(found, 1)) {
    expect((await run(defect)).status, defect).toBe(1);
    expect(
      only(writtenIn(join(cwd, "out"))).violations.map(({ invariant }) => invariant),
      defect,
    ).toContain(rule);
  }
  expect(await suggest("ordres")).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean "orders"?') as string });
  writeFileSync(join(cwd, "orders.explore.ts"), exploration(""));
});

it("rules are as strong as what they notice: none of what is made wrong, a part of it, or all", async () => {
  const strength = async (
    invariants: string,
  ): Promise<{ readonly tried: number; readonly noticed: number; readonly places: readonly object[] }> => {
    writeFileSync(join(cwd, "orders.explore.ts"), exploration(invariants));
    const { status, stdout, stderr } = await seqqa(["strength", "--json", "--output", "out"], { cwd });
    expect([status, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout) as Awaited<ReturnType<typeof strength>>;
  };
  writeFileSync(join(cwd, "orders.explore.ts"), exploration(""));
  expect((await run("")).status).toBe(0);
  const none = await strength("");
  expect(none.tried).toBeGreaterThan(20);
  expect(none.noticed).toBe(0);
  const all = ["suggested[0]!", "suggested[1]!", "suggested[4]!"];
  const several = await strength(all.join(", "));
  expect(several.noticed).toBeGreaterThan(0);
  expect(several.noticed).toBeLessThan(several.tried);
  expect(several.tried).toBe(none.tried);
  // The reports of the run contain the last measurement.
  expect(only(writtenIn(join(cwd, "out")))).toHaveProperty("strength.tried", several.tried);
  expect(readFileSync(join(cwd, "out", "report.html"), "utf8")).toContain(`% of ${several.tried} corruptions`);
  // The same run gives the same; in the quick suite also without a rule, below.
  if (full) expect(await strength(all.join(", "))).toEqual(several);
  // In the quick suite unit/strength/measure has which rule noticed what.
  for (const left of full ? all : [])
    expect((await strength(all.filter((one) => one !== left).join(", "))).noticed, `without ${left}`).toBeLessThan(several.noticed);
  // The report of another run stays.
  writeFileSync(join(cwd, "out", "report.html"), "another run");
  // A rule that compares the rows after a step with those that the API says it has.
  expect(await strength("exact")).toMatchObject({ tried: none.tried, noticed: none.tried });
  expect(readFileSync(join(cwd, "out", "report.html"), "utf8")).toBe("another run");
  const text = await seqqa(["strength", join(cwd, "orders.explore.ts"), "--output", "out"], { cwd });
  expect(text.stdout).toMatch(/^orders: rules noticed 100 % of \d+ cases of wrong data\n\nNoticed each time\n/);
  // Nothing is suggested for what is noticed.
  expect((await suggest("--for-gaps")).stdout).toMatch(
    /^orders: rules noticed 100 % of \d+ cases of wrong data\norders: 0 rules for wrong data that your rules miss \(\d+ states, /,
  );
  // A measurement without a result is no proof that there are no gaps.
  expect((await suggest("./orders.explore.ts", "--for-gaps", "--max-time", "0.001")).stdout).toMatch(
    /^orders: seqqa wrote no wrong data; the time was up before seqqa had tried all cases\norders: 0 rules for wrong data that your rules miss/,
  );
  writeFileSync(join(cwd, "orders.explore.ts"), exploration(all.join(", ")));
  // Rules about the state before a step leave the lane behind it.
  const tried = await seqqa(["try", "orders", "create", "pay", "ship"], { cwd });
  expect([tried.status, tried.stderr]).toEqual([0, ""]);
  expect(tried.stdout).toMatch(/^State [0-9a-f]{8},.*\n(?: .*\n)* +\+ systems\.db\.orders \{id: 1, status: "shipped"/m);
  const gaps = await suggest("--for-gaps", "--most", "20");
  expect(gaps.stdout).toMatch(
    /^orders: rules noticed \d+ % of \d+ cases of wrong data\norders: \d+ rules for wrong data that your rules miss \(/,
  );
  expect(gaps.stdout).toContain('immutable("orders.amount")');
  expect(await seqqa(["strength", "ordres", "--output", "out"], { cwd })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Did you mean "orders"?') as string,
  });
  writeFileSync(join(cwd, "orders.explore.ts"), exploration(""));
});

it("of an API with a defect and no rule shows the defect beside the rule, with its calls", async () => {
  expect((await run("refund")).status).toBe(0);
  const { stdout } = await suggest("--most", "20");
  const [held, nearly] = stdout.split("Rules that nearly held (either the API has a defect, or the rule is wrong)\n");
  expect(held).not.toContain("neverAbove");
  expect(nearly).toMatch(
    /neverAbove\("orders\.refunded", "orders\.amount"\)\n.*\n +broken +orders\.refunded is 200, and its limit is 100 \(state [0-9a-f]{8}: create -> pay -> refund -> refund\)/,
  );
  expect(existsSync(join(cwd, "model.suggested.ts"))).toBe(false);
});

it("of a run that a limit ended explores further, and names the rules that this refutes", async () => {
  const lane = { cwd, env: { DEFECT: "refund" } };
  await seqqa(["run", ".", "--output", "out", "--max-steps", "16"], lane);
  const { status, stdout } = await seqqa(["suggest", "--explore", "--output", "out"], lane);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^orders: explored \d+ more steps and \d+ more states, which refuted \d+ rules?\n/);
  expect(stdout).toContain("orders.refunded is 200, and its limit is 100");
});
