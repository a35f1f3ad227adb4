import { describe, expect, it } from "vitest";
import { some } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, seqqa, writtenIn } from "../support/e2e.ts";

/** APIs on SQLite, right in sequence. BUG=1 plants a race in each of them; what is told of them names rows in texts, JSON and keys, and tells durations. */
const SERVER = `
import { createServer } from "node:http";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec(\`
  CREATE TABLE IF NOT EXISTS posts (slug TEXT PRIMARY KEY, likes INTEGER NOT NULL, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS likes (id INTEGER PRIMARY KEY AUTOINCREMENT, post TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS documents (id TEXT PRIMARY KEY, name TEXT NOT NULL, acl TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, n INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS invoices (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, code TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS history_entry (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS jobs (name TEXT PRIMARY KEY, runs INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS stock (item TEXT PRIMARY KEY, left INTEGER NOT NULL, version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS sales (id INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  INSERT OR IGNORE INTO posts VALUES ('zero', 0, '{}'), ('five', 5, '{"stats":{"likes":5}}');
  INSERT OR IGNORE INTO numbers VALUES ('invoice', 0);
  INSERT OR IGNORE INTO jobs VALUES ('a', 0), ('b', 0);
  INSERT OR IGNORE INTO stock VALUES ('lamp', 1, 1);
  INSERT OR IGNORE INTO notes VALUES (1, 'hello');
\`);
const BUG = Boolean(process.env.BUG);
const get = (sql, ...values) => db.prepare(sql).get(...values);
const run = (sql, ...values) => db.prepare(sql).run(...values);
const id10 = () => { for (;;) { const id = randomBytes(12).toString("base64url").replace(/[-_]/g, "").slice(0, 10); if (/[A-Z]/.test(id) && /[a-z]/.test(id) && id.length === 10) return id; } };

async function like(slug) {
  const { lastInsertRowid: id } = run("INSERT INTO likes (post) VALUES (?)", slug);
  const told = (likes) => (slug === "zero" ? "{}" : JSON.stringify({ stats: { likes } }));
  if (BUG) {
    const { likes } = get("SELECT likes FROM posts WHERE slug = ?", slug);
    await sleep(4);
    run("UPDATE posts SET likes = ?, data = ? WHERE slug = ?", likes + 1, told(likes + 1), slug);
  } else {
    const { likes } = get("UPDATE posts SET likes = likes + 1 WHERE slug = ? RETURNING likes", slug);
    run("UPDATE posts SET data = ? WHERE slug = ?", told(likes), slug);
    await sleep(4);
  }
  return [201, { id: Number(id), _links: { self: "/likes/" + id } }];
}

async function register(name) {
  const taken = () => get("SELECT 1 FROM documents WHERE name = ?", name) !== undefined;
  if (taken()) return [400, { code: 202, error: "taken, request " + id10() }];
  await sleep(4);
  // The second look and the write are one.
  if (!BUG && taken()) return [409, { error: "taken meanwhile" }];
  const id = id10();
  const acl = { "*": { read: true }, [id]: { read: true, write: true } };
  run("INSERT INTO documents VALUES (?, ?, ?)", id, name, JSON.stringify({ deep: [{ acl }] }));
  return [201, { objectId: id, sessionToken: "r:" + randomBytes(16).toString("hex"), ACL: acl, meta: { owners: { [id]: { since: [{ by: { [id]: 1 } }] } } } }];
}

/** A number is used up by a call that is refused, too. */
async function invoice(customer) {
  const { n } = get("UPDATE numbers SET n = n + 1 WHERE name = 'invoice' RETURNING n");
  await sleep(customer === "ann" ? 5 : 3);
  if (!BUG && get("SELECT 1 FROM invoices WHERE customer = ?", customer)) return [422, { error: "INV/" + n + " is not needed", number: n }];
  if (BUG && n % 2 === 0) await sleep(3);
  if (BUG && get("SELECT count(*) AS c FROM invoices WHERE customer = ?", customer).c > 0) run("UPDATE invoices SET customer = customer || '+'");
  const code = "INV/" + String(n).padStart(4, "0");
  const { lastInsertRowid: id } = run("INSERT INTO invoices (customer, code) VALUES (?, ?)", customer, code);
  await sleep(2);
  const entry = run("INSERT INTO history_entry (text, data) VALUES (?, ?)", "invoice " + id + " of " + customer, JSON.stringify({ invoiceId: Number(id), by: { [Number(id)]: code } }));
  return [201, { id: Number(id), code, entry: Number(entry.lastInsertRowid), text: "see /invoices/" + id }];
}

let line = Promise.resolve();
async function job(name) {
  const begun = performance.now();
  const work = line.then(() => sleep(6));
  line = work;
  await work;
  const { runs } = BUG && name === "b" ? { runs: get("SELECT sum(runs) AS s FROM jobs").s } : get("SELECT runs FROM jobs WHERE name = ?", name);
  run("UPDATE jobs SET runs = 1 WHERE name = ?", name);
  const ms = Math.floor((performance.now() - begun) / 5) * 5;
  return [200, { name, took: ms, meta: { elapsed: ms + "ms" } }];
}

async function buy() {
  const { left, version } = get("SELECT * FROM stock WHERE item = 'lamp'");
  if (left === 0) return [409, { error: "sold out" }];
  await sleep(4);
  const { changes } = run("UPDATE stock SET left = left - 1, version = version + 1 WHERE item = 'lamp' AND version = ?", version);
  // The refusal comes too late where the sale is written first.
  if (changes === 0 && !BUG) return [404, { error: "version " + version + " is old, request " + id10() }];
  const { lastInsertRowid: id } = run("INSERT INTO sales (item) VALUES ('lamp')");
  return changes === 0 ? [422, { error: "no lamp for sale " + id }] : [201, { id: Number(id) }];
}

async function remove() {
  const there = get("SELECT 1 FROM notes WHERE id = 1") !== undefined;
  await sleep(4);
  run("DELETE FROM notes WHERE id = 1");
  return there ? [204] : [404, { error: "no note" }];
}

const routes = {
  "POST /like/zero": () => like("zero"), "POST /like/five": () => like("five"),
  "POST /register": () => register("ann"), "GET /documents": () => [200, db.prepare("SELECT name FROM documents").all()],
  "POST /invoice/ann": () => invoice("ann"), "POST /invoice/bob": () => invoice("bob"),
  "POST /job/a": () => job("a"), "POST /job/b": () => job("b"),
  "POST /buy": buy, "DELETE /notes/1": remove,
};
createServer(async (request, response) => {
  const [status, body] = (await routes[request.method + " " + request.url]?.()) ?? [404, {}];
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const CONFIG = `target:
  command: node server.mjs
  ready: /ready
  env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "\${BUG:-}" }
exploration: { max_depth: 1, races: { trials: 6 } }
`;

/** Calls by the name of an exploration. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  counter_zero: ["post /like/zero"],
  counter_five: ["post /like/five"],
  drawn_keys: ["post /register"],
  labels: ["post /invoice/ann", "post /invoice/bob"],
  durations: ["post /job/a", "post /job/b"],
  refusals: ["post /buy"],
  repeated_delete: ["delete /notes/1"],
};

const RULE = `new Invariant({ name: "one_ann", check: async ({ api }) => (await api.get("/documents")).json().length < 2 })`;

function exploration(name: string): string {
  const actions = CALLS[name]!.map((one) => {
    const [method, path] = one.split(" ");
    return `new Action({ name: ${JSON.stringify(one)}, run: async (api) => api.${method}(${JSON.stringify(path)}) })`;
  });
  return `import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({ name: "${name}", actions: [${actions.join(", ")}], invariants: [${name === "drawn_keys" ? RULE : ""}] });
`;
}

async function raced(name: string, bug: string) {
  const cwd = folderWith({ "server.mjs": SERVER, [`${name}.explore.ts`]: exploration(name), "seqqa.yaml": CONFIG });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  const output = emptyFolder();
  const ran = await seqqa(["run", ".", "--races", "--reporter", "json", "--output", output], { cwd, env: { BUG: bug } });
  const [result] = documentOf(ran).explorations;
  expect(result).toMatchObject({ divergences: [], errors: [], violations: [] });
  return {
    races: result!.races.map(({ first, second, verdict, invariant }) => [first, second, verdict, invariant]),
    coverage: result!.raceCoverage!,
    output,
  };
}

const RACES = [
  ["counter_five", [["post /like/five", "post /like/five", "state", undefined]]],
  ["drawn_keys", [["post /register", "post /register", "invariant", "one_ann"]]],
  ["counter_zero", [["post /like/zero", "post /like/zero", "state", undefined]]],
  ["refusals", [["post /buy", "post /buy", "state", undefined]]],
] as const;

describe.each(some(RACES, 2))("%s", (name, found) => {
  it("a race is found", async () => {
    expect((await raced(name, "1")).races).toEqual(found);
  });

  it("none is found where the same calls are written as they should be", async () => {
    const { races, coverage } = await raced(name, "");
    expect({ races, dismissed: coverage.dismissed }).toEqual({ races: [], dismissed: {} });
    expect(coverage.trials).toBeGreaterThan(0);
  });
});

// Durations are tried in unit/races/lane/by-itself, too.
describe.each(some(["labels", "durations"], 1))("%s", (name) => {
  it("are no race by themselves", async () => {
    const { races, coverage } = await raced(name, "");
    expect({ races, dismissed: coverage.dismissed }).toEqual({ races: [], dismissed: {} });
    expect(coverage.trials).toBeGreaterThan(0);
  });
});

describe("a DELETE that is answered 204 twice", () => {
  it("is no finding, and stands among the dismissed races with what was seen", async () => {
    const { races, coverage, output } = await raced("repeated_delete", "");
    expect({ races, dismissed: coverage.dismissed }).toEqual({ races: [], dismissed: { idempotent: 1 } });
    const [written] = writtenIn(output).explorations;
    expect(written!.raceCoverage!.dismissedRaces).toMatchObject([
      {
        first: "delete /notes/1",
        second: "delete /notes/1",
        copies: 2,
        prefix: [],
        verdict: "responses",
        reason: "idempotent",
        count: 1,
        message: "both calls were answered 204; when the calls are sent one after the other, they are answered 204, then 404",
        observed: { order: null, calls: [{ status: 204 }, { status: 204 }] },
      },
    ]);
  });
});
