import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { emptyFolder, folderWith, linkPackages, only, seqqa, writtenIn, type Explored } from "../support/e2e.ts";

/** A login for 7 days. The time is read in an event of the request's body, as in servers without a framework. `BUG=expiry`: nobody looks at the end. */
const TARGET = `
import { createServer } from "node:http";
import Database from "better-sqlite3";

export function createTarget(lane) {
  const db = new Database(lane.dbPath);
  db.exec("CREATE TABLE IF NOT EXISTS logins (id INTEGER PRIMARY KEY, ends_at INTEGER NOT NULL)");
  const answer = ({ method, url }) => {
    if (url === "/migrate") return [200, db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY)") && {}];
    if (url === "/time") return [200, process.env.PROBE === "none" ? { hello: 1 } : { now: new Date().toISOString() }];
    const login = db.prepare("SELECT * FROM logins").get();
    if (method === "POST") {
      if (login !== undefined) return [409, {}];
      db.prepare("INSERT INTO logins (id, ends_at) VALUES (1, ?)").run(Date.now() + 7 * 86_400_000);
      return [201, {}];
    }
    if (login === undefined) return [401, {}];
    return [login.ends_at <= Date.now() && process.env.BUG !== "expiry" ? 401 : 200, {}];
  };
  return createServer((request, response) => {
    request.resume().on("end", () => {
      const [status, body] = answer(request);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
}
`;

const EXPLORATION = `
import { Action, Agent, Invariant } from "seqqa";
import { advanceClock } from "seqqa/adapters/clock";
export const agent = new Agent({
  name: "logins",
  actions: [
    new Action({ name: "login", run: async (api) => api.post("/login") }),
    new Action({ name: "read", run: async (api) => api.get("/me") }),
    advanceClock("3 days"),
  ],
  invariants: [
    new Invariant({
      name: "no_access_after_the_end",
      check: async (world) => {
        const [login] = world.systems.db.query("SELECT ends_at FROM logins");
        const isOver = login !== undefined && login.ends_at <= Date.now() + world.systems.clock.aheadMs();
        return !isOver || (await world.api.get("/me")).statusCode === 401;
      },
    }),
    new Invariant({ name: "time_of_seqqa_stays", check: () => Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 3_600_000 }),
  ],
});
`;

/** Logins with a cookie for a day. `BUG=expiry`: the API accepts cookies that have expired. */
const COOKIES = `
import { createServer } from "node:http";
import Database from "better-sqlite3";

export function createTarget(lane) {
  const db = new Database(lane.dbPath);
  db.exec("CREATE TABLE IF NOT EXISTS sessions (sid TEXT PRIMARY KEY, ends_at INTEGER NOT NULL)");
  return createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.url === "/time") return response.end(JSON.stringify({ now: new Date().toISOString() }));
      if (request.url === "/login") {
        const sid = crypto.randomUUID();
        db.prepare("INSERT INTO sessions VALUES (?, ?)").run(sid, Date.now() + 86_400_000);
        return response.writeHead(200, { "set-cookie": "sid=" + sid + "; Path=/; Max-Age=86400; HttpOnly" }).end("{}");
      }
      const session = db.prepare("SELECT * FROM sessions WHERE sid = ?").get(/sid=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "");
      const isIn = session !== undefined && (process.env.BUG === "expiry" || session.ends_at > Date.now());
      response.writeHead(isIn ? 200 : 401).end("{}");
    });
  });
}
`;

const SESSIONS = `
import { Action, Agent } from "seqqa";
import { advanceClock } from "seqqa/adapters/clock";
import { sessionEnds } from "seqqa/rules";
const login = async (api) => api.post("/login");
export const agent = new Agent({
  name: "sessions",
  setup: async ({ api }) => void (await login(api)),
  actions: [new Action({ name: "me", run: async (api) => api.get("/me") }), advanceClock("3 days")],
  invariants: [sessionEnds({ login, check: async (api) => api.get("/me"), after: ["advance_3_days"] })],
});
`;

/**
 * A cart whose cookie lives for 7 days. Each visit renews the cookie and, if the cookie is gone, begins a new cart. `BUG=late`: a checkout of a cart
 * that is older than 7 days is charged twice.
 */
const CARTS = `
import { createServer } from "node:http";
import Database from "better-sqlite3";

export function createTarget(lane) {
  const db = new Database(lane.dbPath);
  db.exec("CREATE TABLE IF NOT EXISTS carts (id INTEGER PRIMARY KEY, made_at INTEGER NOT NULL, charged INTEGER NOT NULL)");
  return createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.url === "/time") return response.end(JSON.stringify({ now: new Date().toISOString() }));
      const hasCookie = request.headers.cookie === "cart=1";
      if (request.url === "/visit") {
        if (!hasCookie) db.prepare("INSERT OR REPLACE INTO carts VALUES (1, ?, 0)").run(Date.now());
        return response.writeHead(200, { "set-cookie": "cart=1; Path=/; Max-Age=604800" }).end("{}");
      }
      if (!hasCookie) return response.writeHead(401).end("{}");
      const cart = db.prepare("SELECT * FROM carts").get();
      if (cart.charged > 0) return response.writeHead(409).end("{}");
      const isLate = Date.now() - cart.made_at > 7 * 86_400_000;
      db.prepare("UPDATE carts SET charged = ?").run(process.env.BUG === "late" && isLate ? 2 : 1);
      response.writeHead(200).end("{}");
    });
  });
}
`;

const VISITS = `
import { Action, Agent, Invariant } from "seqqa";
import { advanceClock } from "seqqa/adapters/clock";
export const agent = new Agent({
  name: "carts",
  actions: [
    new Action({ name: "visit", run: async (api) => api.post("/visit") }),
    advanceClock("4 days"),
    new Action({ name: "checkout", run: async (api) => api.post("/checkout") }),
  ],
  invariants: [new Invariant({ name: "charged_once", check: ({ systems }) => (systems.db.query("SELECT charged FROM carts")[0]?.charged ?? 0) < 2 })],
});
`;

/** The number of states of {@link CARTS}, by a model of its own: `age` of the cart and days that are `left` of the cookie. */
function cartStates(): number {
  interface Modelled {
    readonly moves: number;
    readonly age?: number | undefined;
    readonly charged?: boolean | undefined;
    readonly left?: number | undefined;
  }
  const seen = new Set<string>();
  const waiting: Modelled[] = [{ moves: 0 }];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const { moves, age, charged, left } = state;
    const key = JSON.stringify([moves, age, charged, left]);
    if (seen.has(key)) continue;
    seen.add(key);
    waiting.push(left === undefined ? { moves, age: 0, left: 7 } : { ...state, left: 7 });
    if (left !== undefined) waiting.push({ ...state, charged: true });
    const isLeft = left !== undefined && left > 4;
    if (moves < 3) waiting.push({ moves: moves + 1, age: age === undefined ? age : age + 1, charged, left: isLeft ? left - 4 : undefined });
  }
  return seen.size;
}

async function explored(
  bug: string,
  parallel: string,
  exploration = EXPLORATION,
  target = TARGET,
): Promise<{ readonly status: number | null; readonly found: Explored }> {
  const folder = folderWith({
    "target.mjs": target,
    "seqqa.yaml": 'systems: { clock: { url: "clock://in-process" } }\ntarget: { module: target.mjs, env: { DB_PATH: "{db_path}" } }\n',
    "logins.explore.mjs": exploration,
  });
  linkPackages(folder, "seqqa", "better-sqlite3");
  const output = emptyFolder();
  const { status } = await seqqa(["run", ".", "--output", output, "--parallel", parallel], { cwd: folder, env: { BUG: bug } });
  return { status, found: only(writtenIn(output)) };
}

describe("the clock of a target in seqqa's own process", () => {
  it("a correct API keeps its rules while its time passes and seqqa's does not, with one digest for every number of lanes", async () => {
    const runs: Awaited<ReturnType<typeof explored>>[] = [];
    for (const lanes of laneCounts) runs.push(await explored("", lanes));
    for (const { status, found } of runs) {
      expect(found.violations).toEqual([]);
      expect(found.divergences).toEqual([]);
      expect(status).toBe(0);
    }
    expect(new Set(runs.map(({ found }) => found.digest)).size).toBe(1);
    // Without a login: 0 to 3 moves. With one: each number of moves before the login, with each number after it.
    expect(runs[0]!.found.statesVisited).toBe(4 + 10);
  });

  it("a login without an end is found when the time passes", async () => {
    const { status, found } = await explored("expiry", "1");
    expect(found.violations).toHaveLength(1);
    expect(found.violations[0]).toMatchObject({
      invariant: "no_access_after_the_end",
      reproductionPath: ["login", "advance_3_days", "advance_3_days", "advance_3_days"],
      confirmed: true,
    });
    expect(status).toBe(1);
  });

  it.each(["", "expiry"])("sessionEnds judges sessions after a move of the clock, with the planted defect %j", async (bug) => {
    const { status, found } = await explored(bug, "1", SESSIONS, COOKIES);
    expect(found.divergences).toEqual([]);
    expect(found.violations.map(({ invariant, confirmed }) => [invariant, confirmed])).toEqual(bug === "" ? [] : [["session_ends", true]]);
    expect(found.unjudgedRules ?? []).toEqual([]);
    expect(status).toBe(bug === "" ? 0 : 1);
  });

  it.each(["", "late"])("a cookie that each visit renews lives longer, with the planted defect %j", async (bug) => {
    const { status, found } = await explored(bug, "1", VISITS, CARTS);
    expect([status, found.divergences, found.violations.map(({ reproductionPath }) => reproductionPath.join(" "))]).toEqual(
      bug === "" ? [0, [], []] : [1, [], ["visit advance_4_days visit advance_4_days checkout"]],
    );
    if (bug === "") expect(found.statesVisited).toBe(cartStates());
  });

  it("the time still passes after a setup that creates a table", async () => {
    const migrating = EXPLORATION.replace("new Agent({", 'new Agent({\n  setup: async (world) => void (await world.api.get("/migrate")),');
    const { status, found } = await explored("", "1", migrating);
    expect(found.violations).toEqual([]);
    expect(found.statesVisited).toBe(4 + 10);
    expect(status).toBe(0);
  });

  it.each([
    ["clock://in-process", "command: node target.mjs", "systems.clock is clock://in-process, which works only with target.module", ""],
    ["clock://libfaketime", "module: target.mjs", "systems.clock is clock://libfaketime, which works only with target.command", ""],
    ["clock://in-process?probe=time", "module: target.mjs", 'The url of systems.clock is "clock://in-process?probe=time"', ""],
    [
      "clock://in-process?probe=/time",
      "module: target.mjs",
      'answer to /time, the probe of systems.clock, contains no time: status 200, "{\\"hello\\":1}"',
      "none",
    ],
  ])("%s with %s is refused in one sentence", async (url, target, sentence, probe) => {
    const folder = folderWith({
      "target.mjs": TARGET,
      "seqqa.yaml": `systems: { clock: { url: "${url}" } }\ntarget: { ${target}, env: { DB_PATH: "{db_path}" } }\n`,
      "logins.explore.mjs": EXPLORATION,
    });
    linkPackages(folder, "seqqa", "better-sqlite3");
    const { status, stderr } = await seqqa(["run", "."], { cwd: folder, env: { PROBE: probe } });
    expect(stderr).toContain(sentence);
    expect(status).toBe(2);
  });
});
