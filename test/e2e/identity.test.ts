import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { folderWith, only, seqqa, seqqaProcess, writtenIn, type Explored } from "../support/e2e.ts";
import { runTarget, type Outcome } from "../support/soundness/run.ts";
import { specOf, type Spec } from "../support/soundness/spec.ts";
import { template } from "../support/store-templates.ts";

/**
 * The quick suite explores most targets only with their defect, and sees there that nothing diverges. A correct twin is silent in the first test below,
 * and in e2e/merged-states and e2e/soundness.
 */

/** The quick suite runs beside other files, and concurrent tests would take longer than their time limit. */
const describeEach = full ? describe.concurrent : describe;

/** That every number of lanes gives one answer is shown by e2e/one-answer and e2e/soundness. */
const LANES = full ? 2 : 1;

/** A target without noise, on SQLite. */
const plain: Spec = {
  ...specOf(0, ["sqlite"]),
  table: "orders",
  ids: "uuid",
  clock: "none",
  items: 2,
  stamps: false,
  noise: false,
  trace: false,
  beats: 0,
  chooses: false,
  late: { ms: 40, when: "always", first: "something" },
};

const found = ({ explored }: Outcome): readonly string[] =>
  explored?.violations.map(({ reproductionPath }) => reproductionPath.join(" ")) ?? [];

/** Wrong merges that were seen with exit status 0, each with the shortest path to its defect. */
const MERGED: readonly (readonly [what: string, path: string, spec: Partial<Spec>])[] = [
  ["short hexadecimal ids", "create pay create pay", { family: "second", verbs: ["pay"], ids: "hex" }],
  ["AUTO_INCREMENT that is not restored", "create pay create pay", { family: "second", verbs: ["pay"], ids: "auto", store: "mysql" }],
  ["short ids of which some are digits alone", "create pay create pay", { family: "second", verbs: ["pay"], ids: "mixed" }],
  ["nanoids", "create pay create pay", { family: "second", verbs: ["pay"], ids: "nano" }],
  [
    "a lease that is held, and one that is over",
    "create lock release publish",
    { family: "lease", verbs: ["lock", "release", "publish"], clock: "iso", items: 1 },
  ],
  [
    "a World with reset: ids that go on after it",
    "create pay create pay",
    { family: "second", verbs: ["pay"], ids: "auto", store: "memory" },
  ],
  ["the order of created_at, with UUIDs", "create create pay settle", { family: "order", verbs: ["pay", "settle"], clock: "iso" }],
  [
    "references as base64 of JSON",
    "create pay create follow",
    { family: "reference", verbs: ["pay", "follow"], ids: "data", chooses: true },
  ],
  ["hashes of what was sent", "create secret_a create secret_a", { family: "secret", verbs: ["secret"], chooses: true }],
  ["a World with reset: short hexadecimal ids", "create pay create pay", { family: "second", verbs: ["pay"], ids: "hex", store: "memory" }],
  [
    "a World with reset: a lease that is held, and one that is over",
    "create lock release publish",
    { family: "lease", verbs: ["lock", "release", "publish"], clock: "iso", items: 1, store: "memory" },
  ],
];

describeEach("states that are not one", () => {
  // In the quick suite unit/state/values has other forms of ids, and e2e/merged-states a counter that is not restored.
  it.each(some(MERGED, 1))("%s: the defect is found, and the correct twin is silent", async (_what, path, parts) => {
    const spec = { ...plain, ...parts };
    const url = spec.store === "sqlite" || spec.store === "memory" ? undefined : await template(spec.store);
    const [bug, twin] = await Promise.all([true, false].map(async (has) => runTarget(spec, { bug: has, lanes: LANES, url })));
    expect([bug!.status, found(bug!)]).toEqual([1, expect.arrayContaining([path])]);
    expect([twin!.status, found(twin!), twin!.explored?.divergences]).toEqual([0, [], []]);
  });
});

/** Targets whose outcomes depend on more than their state. */
const REPORTED: readonly (readonly [what: string, says: RegExp, spec: Partial<Spec>])[] = [
  ["a cache in the target's memory", /remembers something|not seen again/, { family: "memory", verbs: ["advance"], items: 1 }],
  ["a write 40 ms after a plain 200", /late write|Late writes/, { family: "late", verbs: ["slow"] }],
  [
    "a status that is chosen at random",
    /differs? between executions|not seen again|differed|led to another state/,
    { family: "coin", verbs: ["pay", "cancel"], items: 2 },
  ],
  ["a World with reset: a write 40 ms after a plain 200", /late write|Late writes/, { family: "late", verbs: ["slow"], store: "memory" }],
  [
    "a World with reset: a status that is chosen at random",
    /differs? between executions|not seen again|differed|led to another state/,
    { family: "coin", verbs: ["pay", "cancel"], items: 2, store: "memory" },
  ],
];

describeEach("outcomes that no state explains", () => {
  // In the quick suite e2e/late has late writes.
  it.each(some(REPORTED, 1))("%s: are reported, and never vouched for", async (_what, says, parts) => {
    const spec = { ...plain, ...parts };
    const [bug, twin] = await Promise.all(some([true, false], 1).map(async (has) => runTarget(spec, { bug: has, lanes: LANES })));
    expect([1, 3]).toContain(bug!.status);
    expect(bug!.said).toMatch(says);
    if (twin !== undefined) expect(found(twin)).toEqual([]);
  });
});

// In the quick suite unit/state/renaming/renamer has offsets of whole seconds.
it.runIf(full)("an expiry of 30 days in whole seconds gives one digest, however often it is explored", async () => {
  const spec: Spec = { ...plain, family: "lease", verbs: ["lock", "publish"], clock: "s", lockMs: 30 * 86_400_000, items: 1 };
  const runs = await Promise.all(Array.from({ length: 6 }, async () => runTarget(spec, { bug: false, lanes: 1 })));
  expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 0));
  expect(new Set(runs.map(({ explored }) => explored!.digest)).size).toBe(1);
});

/** A document that can be locked for LEASE_MS. With BUG, one whose lock is over is published twice. */
const LEASE_SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, locked_until TEXT, copies INTEGER NOT NULL)");
if (db.prepare("SELECT count(*) AS n FROM documents").get().n === 0) db.exec("INSERT INTO documents VALUES (1, NULL, 0)");
createServer((request, response) => {
  const answer = (status, body = {}) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const { locked_until: lease, copies } = db.prepare("SELECT * FROM documents").get();
  const until = lease?.split("/").at(-1) ?? null;
  const isHeld = until !== null && Date.parse(until) > Date.now();
  if (request.url === "/lock") {
    if (until !== null) return answer(409);
    const localMs = process.env.FORM === "local" ? new Date().getTimezoneOffset() * 60000 : 0;
    const times = [Date.now(), Date.now() + Number(process.env.LEASE_MS)].map((ms) => new Date(ms - localMs).toISOString());
    const end = process.env.FORM === "local" ? times[1].slice(0, -1) : times[1];
    db.prepare("UPDATE documents SET locked_until = ?").run(process.env.FORM === "range" ? times.join("/") : end);
    return answer(200);
  }
  if (request.url !== "/publish") return answer(200, { copies });
  if (isHeld || copies > 0) return answer(423);
  db.prepare("UPDATE documents SET copies = ?").run(until !== null && process.env.BUG === "1" ? 2 : 1);
  answer(200);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

type LeaseForm = "iso" | "range" | "local";

async function locked({
  bug,
  form,
}: {
  readonly bug: boolean;
  readonly form: LeaseForm;
}): Promise<Explored & { readonly status: number | null }> {
  const cwd = folderWith({
    "server.mjs": LEASE_SERVER,
    "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", LEASE_MS: "800", FORM: "${form}", BUG: "${bug ? 1 : 0}" } }\n`,
    "documents.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({
  actions: [
    call("lock"),
    new Action<any>({ name: "wait", changesNothing: true, run: async (api, context) => { await new Promise((done) => setTimeout(done, 900)); return api.get("/"); } }),
    call("publish"),
  ],
  invariants: [new Invariant({ name: "one_copy", check: async ({ api }) => (await api.get("/")).json<{ copies: number }>().copies < 2 })],
});
`,
  });
  // The time zone of this process is fixed, so a run in another one needs its own.
  const args = ["run", ".", "--output", "out"];
  const { status } = await (form === "local" ? seqqaProcess(args, { cwd, env: { TZ: "America/New_York" } }) : seqqa(args, { cwd }));
  return { status, ...only(writtenIn(join(cwd, "out"))) };
}

describeEach("a lease that an action waits for", () => {
  const forms: readonly [string, LeaseForm][] = [
    ["a local time without its zone, five hours behind UTC", "local"],
    ["a time", "iso"],
    ["a text with two times", "range"],
  ];
  it.each(some(forms, 1))("is another state once it is over, although nothing is written, if it is %s", async (_what, form) => {
    const result = await locked({ bug: true, form });
    expect([result.status, result.violations.map(({ reproductionPath }) => reproductionPath.join(" ")), result.divergences]).toEqual([
      1,
      ["lock wait publish"],
      [],
    ]);
    if (!full) return;
    const twin = await locked({ bug: false, form });
    // Free, held or over, and published or not.
    expect([twin.status, twin.violations, twin.divergences, twin.statesVisited]).toEqual([0, [], [], 6]);
  });
});

/**
 * A shop that encrypts data of its state, with a new initialization vector each time, or signs the data with the time: `offer`, the price of the moment,
 * which the user keeps, and `cart`, the number of items, which a column keeps. With BUG, the sale price is paid after the sale, and a cart of two is charged twice.
 */
const SEALING_SERVER = `
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS shop (id INTEGER PRIMARY KEY, price INTEGER, cart TEXT, wrong INTEGER)");
db.exec("INSERT OR IGNORE INTO shop VALUES (1, 100, NULL, 0)");
const key = Buffer.alloc(32, 7);
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const inBase62 = (value) => (value === 0 ? "" : inBase62(Math.floor(value / 62)) + DIGITS[value % 62]);
const sign = (value) => {
  const text = Buffer.from(JSON.stringify({ value })).toString("base64url") + ":" + inBase62(Math.floor(Date.now() / 1000));
  return text + ":" + createHmac("sha256", key).update(text).digest("base64url");
};
const isSigned = process.env.SEAL === "signed";
const seal = (value) => {
  if (isSigned) return sign(value);
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  return iv.toString("hex") + cipher.update(String(value), "utf8", "hex") + cipher.final("hex");
};
const unseal = (text) => {
  if (isSigned) return JSON.parse(Buffer.from(text.split(":")[0], "base64url")).value;
  const decipher = createDecipheriv("aes-256-cbc", key, Buffer.from(text.slice(0, 32), "hex"));
  return Number(decipher.update(text.slice(32), "hex", "utf8") + decipher.final("utf8"));
};
const set = (column, value) => db.prepare("UPDATE shop SET " + column + " = ?").run(value);
const wrong = () => set("wrong", process.env.BUG === "1" ? 2 : 1);
createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const answer = (status, json = {}) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  const shop = db.prepare("SELECT * FROM shop").get();
  const items = shop.cart === null ? 0 : unseal(shop.cart);
  if (request.url === "/offer") return answer(200, { offer: seal(shop.price) });
  if (request.url === "/sale") set("price", 50);
  if (request.url === "/end") set("price", 100);
  if (request.url === "/buy" && unseal(JSON.parse(body).offer) < shop.price) wrong();
  if (request.url === "/add" && items === 3) return answer(409);
  if (request.url === "/add") set("cart", seal(items + 1));
  if (request.url === "/pay" && items === 0) return answer(409);
  if (request.url === "/pay" && items === 2) wrong();
  answer(200, { wrong: shop.wrong });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

type Seal = "encrypted" | "signed";

async function sealing(
  actions: readonly string[],
  bug: boolean,
  more = "",
  seal: Seal = "encrypted",
): Promise<Explored & { readonly status: number | null }> {
  const cwd = folderWith({
    "server.mjs": SEALING_SERVER,
    "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}", SEAL: ${seal} } }\nexploration: { max_depth: 4${more} }\n`,
    "shop.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
const actions: Record<string, Action<any>> = {
  offer: new Action<any>({ name: "offer", run: async (api, context) => {
    const response = await api.post("/offer");
    context.set("offer", response.json<{ offer: string }>().offer);
    return response;
  } }),
  buy: new Action<any>({ name: "buy", precondition: (context) => context.has("offer"), run: (api, context) => api.post("/buy", { json: { offer: context.get("offer") } }) }),
};
export const agent = new Agent<any>({
  actions: ${JSON.stringify(actions)}.map((name) => actions[name] ?? call(name)),
  invariants: [new Invariant({ name: "never_wrong", check: async ({ api }) => (await api.get("/")).json<{ wrong: number }>().wrong < 2 })],
});
`,
  });
  const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
  return { status, ...only(writtenIn(join(cwd, "out"))) };
}

describeEach("data of the state in a generated value", () => {
  const values = [
    ["in a column, signed with the time, as Django's sessions are", ["add", "pay"], "add add pay", "signed"],
    ["that the user keeps", ["offer", "sale", "end", "buy"], "sale offer end buy", "encrypted"],
    ["in a column that each step writes anew", ["add", "pay"], "add add pay", "encrypted"],
    ["that the user keeps, signed with the time", ["offer", "sale", "end", "buy"], "sale offer end buy", "signed"],
  ] as const;
  it.each(some(values, 1))("%s: the defect is found, and the correct twin is silent", async (_what, actions, path, seal) => {
    const result = await sealing(actions, true, "", seal);
    expect(result.violations.map(({ reproductionPath }) => reproductionPath.join(" "))).toEqual(expect.arrayContaining([path]));
    expect(result.divergences).toEqual([]);
    if (!full) return;
    const twin = await sealing(actions, false, "", seal);
    expect([twin.status, twin.violations, twin.divergences]).toEqual([0, [], []]);
  });

  it("is found also where only a check of a merge sees it, because the steps are used up before the states that are then told apart", async () => {
    const { status, violations, stopReason, maxDepthReached } = await sealing(["offer", "sale", "end", "buy"], true, ", max_steps: 20");
    expect([stopReason, maxDepthReached]).toEqual(["max_steps", 3]);
    expect(violations.map(({ reproductionPath, confirmed }) => [reproductionPath.join(" "), confirmed])).toEqual([
      ["sale offer end buy", true],
    ]);
    expect(status).toBe(1);
  });
});

/** Three documents, of which each can be saved again. With BUG, publishing is wrong if C was saved before A, and A before B. */
const SAVING_SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, saved_at TEXT); CREATE TABLE IF NOT EXISTS shelf (id INTEGER PRIMARY KEY, wrong INTEGER)");
db.exec("INSERT OR IGNORE INTO shelf VALUES (1, 0)");
const wait = () => new Promise((done) => setTimeout(done, 3));
createServer(async (request, response) => {
  const answer = (status, json = {}) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  const name = request.url.slice(1);
  if (name === "publish") {
    const saved = db.prepare("SELECT name FROM documents ORDER BY saved_at").pluck().all();
    if (saved.length < 3) return answer(409);
    if (process.env.BUG === "1" && saved.join("") === "cab") db.exec("UPDATE shelf SET wrong = 1");
  } else if (name !== "") {
    // Two saves never get the same time.
    await wait();
    db.prepare("INSERT INTO documents VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET saved_at = excluded.saved_at").run(name, new Date().toISOString());
    await wait();
  }
  answer(200, db.prepare("SELECT wrong FROM shelf").get());
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

describeEach("an order of times that only matters behind a state that was merged for another order", () => {
  it.each(some([true, false], 1))("with the defect: %s", async (bug) => {
    const cwd = folderWith({
      "server.mjs": SAVING_SERVER,
      "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}" } }\n`,
      "shelf.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const call = (name: string, changesNothing = false) => new Action<any>({ name, changesNothing, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({
  actions: [call("a"), call("b"), call("c"), call("publish", true)],
  invariants: [new Invariant({ name: "never_wrong", check: async ({ api }) => (await api.get("/")).json<{ wrong: number }>().wrong === 0 })],
});
`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { violations, divergences } = only(writtenIn(join(cwd, "out")));
    const paths = violations.map(({ reproductionPath }) => reproductionPath.join(" "));
    expect([status, paths, divergences]).toEqual(bug ? [1, ["c a b publish"], []] : [0, [], []]);
  });
});

/** A shop with a switch in a file. With BUG, a purchase fails in one state of the shop while the switch is on. */
const HIDING_SERVER = `
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS shop (id INTEGER PRIMARY KEY, v INTEGER, n INTEGER); INSERT OR IGNORE INTO shop VALUES (1, 0, 0)");
const file = process.env.DB_PATH + ".switch";
const isBug = process.env.BUG === "1";
const calls = {
  on: () => { writeFileSync(file, ""); db.exec("UPDATE shop SET n = 1"); },
  next: () => { db.exec("UPDATE shop SET v = (v + 1) % 3"); },
  off: () => { rmSync(file, { force: true }); db.exec("UPDATE shop SET n = 0"); },
  buy: () => isBug && existsSync(file) && db.prepare("SELECT v FROM shop").get().v === 2,
};
createServer((request, response) => response.writeHead(calls[request.url.slice(1)]?.() === true ? 500 : 200).end("{}")).listen(Number(process.env.PORT), "127.0.0.1");
`;

it("a switch in a file that another action hides again is a divergence, and the correct twin is silent", async () => {
  const run = async (bug: boolean): Promise<Explored & { readonly status: number | null }> => {
    const cwd = folderWith({
      "server.mjs": HIDING_SERVER,
      "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}" } }\n`,
      "shop.explore.ts": `import { Action, Agent } from "seqqa";
import { noServerErrors } from "seqqa/rules";
const post = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({
  actions: [post("on"), post("next"), post("off"), new Action<any>({ name: "buy", run: (api) => api.get("/buy") })],
  invariants: [noServerErrors()],
});
`,
    });
    // On several lanes, a lane may keep the file, and the defect is then found.
    const { status } = await seqqa(["run", ".", "--output", "out", "--parallel", "1"], { cwd });
    return { status, ...only(writtenIn(join(cwd, "out"))) };
  };
  const result = await run(true);
  expect(result.status).toBe(3);
  expect(result.divergences.flatMap(({ differences }) => differences)).toContain(
    "buy: the target answered 200 the first time, but 500 now",
  );
  if (!full) return;
  const twin = await run(false);
  expect([twin.status, twin.violations, twin.divergences]).toEqual([0, [], []]);
});

/** Members who paid until a time. `join` writes a time that depends on its step, `renew` one that depends on a time of `setup`. */
const MEMBERS_SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
const DAYS = 30 * 86400000;
db.exec("CREATE TABLE IF NOT EXISTS members (name TEXT PRIMARY KEY, paid_until TEXT, renewed INTEGER)");
const add = (name) => db.prepare("INSERT OR IGNORE INTO members VALUES (?, ?, 0)").run(name, new Date(Date.now() + DAYS).toISOString()).changes;
const calls = {
  setup: () => add("ann"),
  join: () => add("bob"),
  renew: () => {
    const { paid_until: until } = db.prepare("SELECT paid_until FROM members WHERE name = 'ann'").get();
    return db.prepare("UPDATE members SET renewed = 1, paid_until = ? WHERE name = 'ann' AND renewed = 0").run(new Date(Date.parse(until) + DAYS).toISOString()).changes;
  },
};
createServer((request, response) => response.writeHead(calls[request.url.slice(1)]?.() === 0 ? 409 : 200).end("{}")).listen(Number(process.env.PORT), "127.0.0.1");
`;

it("a time that a step derives from one of `setup` has one name in all executions, also if other steps write times to its column", async () => {
  const cwd = folderWith({
    "server.mjs": MEMBERS_SERVER,
    "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\n`,
    "members.explore.ts": `import { Action, Agent } from "seqqa";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({ setup: async ({ api }) => { await api.post("/setup"); }, actions: [call("join"), call("renew")], invariants: [] });
`,
  });
  const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
  const { statesVisited, divergences } = only(writtenIn(join(cwd, "out")));
  expect([status, statesVisited, divergences]).toEqual([0, 4, []]);
});

/** A price that is valid until a fixed time, or until it was closed. With BUG, closing a closed price fails. */
const PRICES_SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS prices (id INTEGER PRIMARY KEY, valid_to TEXT)");
const endsAt = (id, time) => db.prepare("INSERT INTO prices VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET valid_to = excluded.valid_to").run(id, time);
const calls = {
  create: () => endsAt(1, "9999-12-31T23:59:59Z"),
  schedule: () => endsAt(1, process.env.SCHEDULED),
  close: () => {
    const row = db.prepare("SELECT valid_to FROM prices").get();
    const isOpen = row !== undefined && Date.parse(row.valid_to) > Date.now();
    if (isOpen) endsAt(1, new Date().toISOString());
    return isOpen ? 200 : process.env.BUG === "1" && row !== undefined ? 500 : 409;
  },
};
createServer((request, response) => {
  const status = calls[request.url.slice(1)]?.();
  response.writeHead(typeof status === "number" ? status : 200).end("{}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

it("a fixed time in a column to which other steps write the present time is a value like others", async () => {
  const day = 86_400_000;
  const scheduled = new Date(Math.floor(Date.now() / day + 100) * day).toISOString();
  const run = async (bug: boolean): Promise<readonly unknown[]> => {
    const cwd = folderWith({
      "server.mjs": PRICES_SERVER,
      "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}", SCHEDULED: "${scheduled}" } }\n`,
      "prices.explore.ts": `import { Action, Agent } from "seqqa";
import { noServerErrors } from "seqqa/rules";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({ actions: [call("create"), call("schedule"), call("close")], invariants: [noServerErrors()] });
`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { statesVisited, violations, divergences } = only(writtenIn(join(cwd, "out")));
    return [status, statesVisited, violations.map(({ reproductionPath }) => reproductionPath.join(" ")), divergences];
  };
  if (full) expect(await run(false)).toEqual([0, 4, [], []]);
  expect(await run(true)).toEqual([1, 4, ["create close close"], []]);
});

/** One key. The first call writes a UUID and a time in 30 days, and later calls write other kinds of generated values and times to their columns. */
const KEYS_SERVER = `
import { randomInt, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS keys (id INTEGER PRIMARY KEY, value TEXT, expires_at TEXT)");
const inDays = (days) => new Date(Date.now() + days * 86400000).toISOString();
const set = (column, value) => db.prepare("UPDATE keys SET " + column + " = ?").run(value).changes;
const calls = {
  issue: () => db.prepare("INSERT OR IGNORE INTO keys VALUES (1, ?, ?)").run(randomUUID(), inDays(30)).changes,
  extend: () => set("expires_at", inDays(730.5)),
  shorten: () => set("value", String(randomInt(100000, 1000000))),
  bundle: () => set("value", JSON.stringify({ id: randomUUID(), kind: "bundle" })),
};
createServer((request, response) => response.writeHead(calls[request.url.slice(1)]?.() === 0 ? 409 : 200).end("{}")).listen(Number(process.env.PORT), "127.0.0.1");
`;

it("generated values and times of another kind, which later steps write to known columns, are recognised", async () => {
  const cwd = folderWith({
    "server.mjs": KEYS_SERVER,
    "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\n`,
    "keys.explore.ts": `import { Action, Agent } from "seqqa";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({ actions: [call("issue"), call("extend"), call("shorten"), call("bundle")], invariants: [] });
`,
  });
  const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
  const { statesVisited, divergences } = only(writtenIn(join(cwd, "out")));
  expect([status, statesVisited, divergences]).toEqual([0, 7, []]);
});

const MOST = size(4, 7);

/** Settings in one table. With BUG, the last of MOST failures fails. */
const SETTINGS_SERVER = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT); INSERT OR IGNORE INTO settings VALUES ('api_key', 'none'), ('failed', '0')");
const set = (key, value) => db.prepare("UPDATE settings SET value = ? WHERE key = ?").run(value, key);
const calls = {
  rotate: () => set("api_key", randomUUID()),
  fail: () => {
    const failed = Number(db.prepare("SELECT value FROM settings WHERE key = 'failed'").pluck().get());
    if (failed === ${MOST}) return 423;
    set("failed", String(failed + 1));
    return failed === ${MOST - 1} && process.env.BUG === "1" ? 500 : 200;
  },
};
createServer((request, response) => {
  const status = calls[request.url.slice(1)]?.();
  response.writeHead(typeof status === "number" ? status : 200).end("{}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

it("a number in a table of settings, in the column of a generated key, is a value like others", async () => {
  const run = async (bug: boolean): Promise<readonly unknown[]> => {
    const cwd = folderWith({
      "server.mjs": SETTINGS_SERVER,
      "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}" } }\n`,
      "settings.explore.ts": `import { Action, Agent } from "seqqa";
import { noServerErrors } from "seqqa/rules";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({ actions: [call("rotate"), call("fail")], invariants: [noServerErrors()] });
`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { statesVisited, violations, divergences } = only(writtenIn(join(cwd, "out")));
    return [status, statesVisited, violations.map(({ reproductionPath }) => reproductionPath.join(" ")), divergences];
  };
  // Zero to MOST failures, each with the first key and with a generated one.
  const states = 2 * (MOST + 1);
  if (full) expect(await run(false)).toEqual([0, states, [], []]);
  expect(await run(true)).toEqual([1, states, [Array.from({ length: MOST }, () => "fail").join(" ")], []]);
});

/** Subscriptions with times in whole seconds. `renew` adds 30 days to the end of the period, or with FROM=now sets it to 60 days from now. */
const SUBSCRIPTIONS_SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
const DAY = 86400;
db.exec("CREATE TABLE IF NOT EXISTS subscription (id INTEGER PRIMARY KEY, started INTEGER, ends INTEGER, renewed INTEGER, due INTEGER, rested INTEGER); INSERT OR IGNORE INTO subscription VALUES (1, NULL, NULL, 0, NULL, 0)");
const end = process.env.FROM === "now" ? "unixepoch() + 60 * 86400" : "ends + 30 * 86400";
const calls = {
  subscribe: "started = unixepoch(), ends = unixepoch() + 30 * 86400 WHERE started IS NULL",
  renew: "ends = " + end + ", renewed = 1 WHERE started IS NOT NULL AND renewed = 0",
  bill: "due = started + 14 * 86400 WHERE started IS NOT NULL AND due IS NULL",
  rest: "rested = 1 WHERE rested = 0",
};
createServer((request, response) => {
  const name = request.url.slice(1);
  const isDone = name in calls && db.prepare("UPDATE subscription SET " + calls[name]).run().changes > 0;
  setTimeout(() => response.writeHead(isDone || name === "" ? 200 : 409).end("{}"), isDone && name === "rest" ? 1_200 : 0);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

// It waits for half a minute. `unit/state/compare/derived-times` owns the property at quick size.
it.runIf(full).each(["end of another", "now"])(
  "a time in whole seconds that a step derives from the %s has one name, however old the state is",
  async (from) => {
    const cwd = folderWith({
      "server.mjs": SUBSCRIPTIONS_SERVER,
      "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", FROM: "${from}" } }\n`,
      "subscription.explore.ts": `import { Action, Agent } from "seqqa";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent<any>({ actions: [call("subscribe"), call("renew"), call("bill"), call("rest")], invariants: [] });
`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { statesVisited, divergences } = only(writtenIn(join(cwd, "out")));
    expect([status, statesVisited, divergences]).toEqual([0, 10, []]);
  },
);

/** A lock for one second, in whole seconds, which others may take over after its end. With BUG, the first owner then keeps the lock, too. */
const LOCK_SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS locks (name TEXT PRIMARY KEY, until TEXT); CREATE TABLE IF NOT EXISTS owners (name TEXT PRIMARY KEY)");
const calls = {
  lock: () => db.exec("INSERT INTO locks VALUES ('a', datetime('now', '+1 second')); INSERT INTO owners VALUES ('me')"),
  steal: () => {
    if (process.env.BUG !== "1") db.exec("DELETE FROM owners");
    db.exec("UPDATE locks SET until = NULL; INSERT INTO owners VALUES ('you')");
  },
};
createServer((request, response) => {
  const name = request.url.slice(1);
  const lock = db.prepare("SELECT until <= datetime('now') AS ended FROM locks").get();
  const isPossible = name === "lock" ? lock === undefined : lock?.ended === 1;
  if (name !== "" && isPossible) calls[name]();
  response.writeHead(name === "" || isPossible ? 200 : 409).end(JSON.stringify(db.prepare("SELECT name FROM owners").all()));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

it.each([true, false])(
  "a lease of one second in whole seconds passes during an action that only waits (with the defect: %s)",
  async (bug) => {
    const cwd = folderWith({
      "server.mjs": LOCK_SERVER,
      "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "${bug ? 1 : 0}" } }\n`,
      "lock.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const call = (name: string) => new Action<any>({ name, run: (api) => api.post("/" + name) });
const wait = new Action<any>({ name: "wait", changesNothing: true, run: async (api) => {
  await new Promise((done) => setTimeout(done, 1100));
  return api.get("/");
} });
export const agent = new Agent<any>({
  actions: [call("lock"), call("steal"), wait],
  invariants: [new Invariant({ name: "one_owner", check: async ({ api }) => (await api.get("/")).json<unknown[]>().length < 2 })],
});
`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { statesVisited, violations, divergences } = only(writtenIn(join(cwd, "out")));
    const paths = violations.map(({ reproductionPath, confirmed }) => [reproductionPath.join(" "), confirmed]);
    expect([status, paths, divergences]).toEqual(bug ? [1, [["lock wait steal", true]], []] : [0, [], []]);
    expect(statesVisited).toBe(4);
  },
);
