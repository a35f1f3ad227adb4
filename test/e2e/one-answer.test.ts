import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explore, ledger } from "../models/index.ts";
import { some, full, size } from "../sizes.ts";
import {
  commandOf,
  descendants,
  documentOf,
  emptyFolder,
  folderWith,
  linkPackages,
  only,
  seqqa,
  start,
  until,
  type Explored,
  type RunOptions,
} from "../support/e2e.ts";
import { stepsIn } from "../support/stored-edges.ts";
import { NOTES_CONFIG, SLOTS_SERVER } from "../support/e2e-servers.ts";

const STRATEGIES = ["bfs", "dfs", "random", "coverage_guided"];
const BOUNDED = size(40, 10_007);

const command = (...args: readonly string[]): readonly string[] => {
  const output = emptyFolder();
  return ["run", "fixtures/ledger", "--only", "ledger", "--reporter", "json", "--output", output, ...args];
};

async function explored(args: readonly string[], options: RunOptions = {}): Promise<Explored> {
  const ran = await seqqa(command(...args), { timeoutMs: full ? 1_800_000 : 100_000, ...options });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

/** What two runs must have in common: all but what is measured, and the ports and addresses that lanes got. */
function comparable(result: Explored): unknown {
  const text = JSON.stringify(result, (key, value: unknown) => {
    if (key === "durationMs" || key === "replayed" || key === "crossChecked" || key === "speculative") return undefined;
    // The target's own clock and what it drew.
    if (key === "date") return undefined;
    return value;
  });
  return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>"));
}

/** Runs the exploration of a folder, without an error or a finding. */
async function run(cwd: string, parallel: string): Promise<Explored> {
  const ran = await seqqa(["run", ".", "--parallel", parallel, "--reporter", "json", "--output", "out"], { cwd });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  return only(documentOf(ran));
}

describe("one answer, however many lanes", () => {
  // In the quick suite one strategy: unit/property/engine has all of them.
  it.each(full ? STRATEGIES : ["bfs"])("%s: equal results.json, bounded by steps, with the planted bug", async (strategy) => {
    const args = ["--strategy", strategy, "--max-steps", String(BOUNDED)];
    const one = await explored([...args, "--parallel", "1"], { env: { BUG: "1" } });
    expect(one).toMatchObject({ steps: BOUNDED, transitions: BOUNDED, stopReason: "max_steps", divergences: [], errors: [] });
    for (const parallel of full ? ["2", "3", "8"] : ["2"]) {
      const other = await explored([...args, "--parallel", parallel], { env: { BUG: "1" } });
      expect(other.digest).toBe(one.digest);
      expect(comparable(other)).toEqual(comparable(one));
    }
  });

  // In the quick suite of one strategy: unit/contract/strategy holds all of them to a depth against the same model.
  it.each(full ? STRATEGIES : ["coverage_guided"])("%s: equal states within a depth", async (strategy) => {
    const depth = size(2, 5);
    const counts = explore(ledger(false), { maxDepth: depth });
    const result = await explored(["--strategy", strategy, "--max-depth", String(depth), "--parallel", String(size(1, 2))]);
    expect(result).toMatchObject({
      statesVisited: counts.states,
      transitions: counts.transitions,
      stopReason: "max_depth",
      maxDepthReached: depth,
      completeToDepth: depth,
      errors: [],
      divergences: [],
    });
  });

  it.runIf(full).each(STRATEGIES)("%s: the ledger to exhaustion", async (strategy) => {
    const digests = new Set<string>();
    for (const parallel of ["1", "2", "3", "8"]) {
      const result = await explored(["--strategy", strategy, "--parallel", parallel]);
      expect(result).toMatchObject({
        statesVisited: 14_425,
        transitions: 187_525,
        steps: 187_525,
        stopReason: "exhausted",
        violations: [],
        divergences: [],
        errors: [],
      });
      digests.add(result.digest);
    }
    expect(digests.size).toBe(1);
  });

  it.runIf(full)("the ledger with its bug is pruned as the model is", async () => {
    const counts = explore(ledger(true));
    const result = await explored(["--parallel", "2"], { env: { BUG: "1" } });
    expect(result).toMatchObject({ statesVisited: counts.states, transitions: counts.transitions });
  });
});

describe("losing what does the work", () => {
  const args = ["--max-steps", String(size(60, 20_000))];
  /** Calls of a small run take a while, so that it is not over before anything went wrong. */
  const slowly: Readonly<Record<string, string>> = full ? {} : { WAIT_MS: "25" };

  it("a target is killed in the middle, of either lane: the same answer", async () => {
    const undisturbed = await explored([...args, "--parallel", "1"]);
    const output = emptyFolder();
    const running = start([...command(...args, "--parallel", "2"), "--output", output], {
      env: slowly,
      timeoutMs: full ? 600_000 : 100_000,
    });
    const targets = (): readonly number[] => descendants(running.pid).filter((pid) => /(?:^|\/)node server\.mjs$/.test(commandOf(pid)));
    const killed: number[] = [];
    for (let times = 0; times < 2; times++) {
      await until(() => stepsIn(output) > size(15, 30) * (times + 1), "the middle of the work");
      const victim = targets().find((pid) => !killed.includes(pid))!;
      process.kill(victim, "SIGKILL");
      killed.push(victim);
    }
    expect(running.child.exitCode).toBeNull();
    const ran = await running.ended;
    const result = only(documentOf(ran));
    // What went wrong is said before its exit status.
    expect(result).toMatchObject({ divergences: [], errors: [], violations: [] });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(result.digest).toBe(undisturbed.digest);
    // That targets ended is said, and is all that differs.
    const notes = result.notes.filter((note) => !note.startsWith("A target ended "));
    expect(comparable({ ...result, notes })).toEqual(comparable(undisturbed));
  });

  // The token of each lane has another time, and no store holds it.
  it("a login in `setup` with a JWT has one root state on all lanes", async () => {
    const exploration = `import { Action, Agent, World } from "seqqa";
const call = (name) => new Action({ name, run: (api) => api.post("/" + name) });
export const agent = new Agent({
  world: (lane) => new World({ systems: lane.systems }),
  setup: async ({ api }) => api.setAuthToken((await api.post("/login")).json().token),
  actions: [call("note"), call("clear")],
  invariants: [],
});
`;
    const cwd = folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": tokenServer("Date.now() / 1000"), "notes.explore.js": exploration });
    linkPackages(cwd, "better-sqlite3", "seqqa");
    const [one, two] = [await run(cwd, "1"), await run(cwd, "2")];
    expect(one).toMatchObject({ statesVisited: 3, transitions: 6, verdict: { complete: true } });
    expect(comparable(two)).toEqual(comparable(one));
  });

  // Without `setup`, the logins of the rule make the data of the root state: a session with a time in JSON, as in stores of express-session.
  it("a session that only the rule ownership opens is the same on all lanes", async () => {
    const exploration = `import { Action, Agent, World } from "seqqa";
import { ownership } from "seqqa/rules";
const login = async (api) => {
  const response = await api.post("/login");
  api.setAuthToken(response.json().token);
  return response;
};
export const agent = new Agent({
  world: (lane) => new World({ systems: lane.systems }),
  actions: [new Action({ name: "note", run: (api) => api.post("/note") })],
  invariants: [ownership({ users: { bob: login }, except: ["note"] })],
});
`;
    const server = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("create table if not exists notes (id integer primary key, text text); create table if not exists sessions (sid text primary key, sess text)");
createServer((request, response) => {
  const answer = (status, body = {}) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.url === "/") return answer(200);
  if (request.url === "/login") {
    const token = randomUUID();
    db.prepare("insert into sessions values (?, ?)").run(token, JSON.stringify({ user: 1, expires: new Date(Date.now() + 30 * 86400e3) }));
    return answer(200, { token });
  }
  const { n } = db.prepare("select count(*) n from notes").get();
  return n > 1 ? answer(409) : answer(201, { id: db.prepare("insert into notes (text) values ('x')").run().lastInsertRowid });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
    const cwd = folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": server, "notes.explore.js": exploration });
    linkPackages(cwd, "better-sqlite3", "seqqa");
    const [one, two] = [await run(cwd, "1"), await run(cwd, "2")];
    expect(one).toMatchObject({ statesVisited: 3, divergences: [] });
    expect(two).toMatchObject({ digest: one.digest, statesVisited: 3, divergences: [] });
  });

  // The sessions of express-session: a login with the cookie of an old session ends that session. The signature is in the cookie, but not in the state.
  it("a login with a signed cookie that replaces the session leads to one state, not to a new state each time", async () => {
    const exploration = `import { Action, Agent, World } from "seqqa";
export const agent = new Agent({
  world: (lane) => new World({ systems: lane.systems }),
  actions: ["login", "logout"].map((name) => new Action({ name, run: (api) => api.post("/" + name) })),
  invariants: [],
});
`;
    const server = `
import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("create table if not exists sessions (sid text primary key, user text)");
const signed = (sid) => encodeURIComponent("s:" + sid + "." + createHmac("sha256", "secret").update(sid).digest("base64").replace(/=+$/, ""));
createServer((request, response) => {
  const old = /sid=s%3A(.*)\\./.exec(request.headers.cookie ?? "");
  if (old !== null) db.prepare("delete from sessions where sid = ?").run(decodeURIComponent(old[1]));
  if (request.url === "/logout") response.setHeader("set-cookie", "sid=; Max-Age=0");
  if (request.url === "/login") {
    const sid = randomBytes(24).toString("base64");
    db.prepare("insert into sessions values (?, 'ann')").run(sid);
    response.setHeader("set-cookie", "sid=" + signed(sid));
  }
  response.end("{}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
    const cwd = folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": server, "notes.explore.js": exploration });
    linkPackages(cwd, "better-sqlite3", "seqqa");
    // Nobody is logged in; a first session; one that replaced the first session; one that replaced such a session.
    expect(await run(cwd, "1")).toMatchObject({ statesVisited: 4, divergences: [] });
  });

  // Tokens with whole seconds that are issued in one second are equal, so the login would change nothing right after `setup`.
  it.each(
    some(
      [
        ["in the context", 'context.set("token", token)', '{ headers: { authorization: "Bearer " + context.get("token") } }'],
        ["in a client", "api.setAuthToken(token)", "{}"],
      ],
      1,
    ),
  )("a login action leads to the same states at any speed, with a JWT in whole seconds %s", async (_where, keep, sends) => {
    const exploration = `import { Action, Agent, World } from "seqqa";
const login = async (api, context) => {
  const response = await api.post("/login");
  const { token } = response.json();
  ${keep};
  return response;
};
export const agent = new Agent({
  world: (lane) => new World({ systems: lane.systems }),
  setup: async ({ api, context }) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));
    await login(api, context);
  },
  actions: [new Action({ name: "login", run: login }), new Action({ name: "note", run: (api, context) => api.post("/note", ${sends}) })],
  invariants: [],
});
`;
    const server = tokenServer("Math.floor(Date.now() / 1000)");
    const cwd = folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": server, "notes.explore.js": exploration });
    linkPackages(cwd, "better-sqlite3", "seqqa");
    const [one, two] = [await run(cwd, "1"), await run(cwd, "2")];
    // 0 to 2 notes, each with the token of `setup` and with a later one.
    expect(one).toMatchObject({ statesVisited: 6, divergences: [] });
    expect(comparable(two)).toEqual(comparable(one));
  });

  it("a worker ends in the middle: the same answer", async () => {
    const SLOTS = size(2, 3);
    const slots = Array.from({ length: SLOTS }, (_, at) => at + 1);
    const exploration = (dies: boolean): string => `import { Action, Agent, World } from "seqqa";
import { existsSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

interface Count { readonly value: number }
const marker = "died";
const bump = (slot: number): Action => new Action({
  name: \`bump_\${slot}\`,
  run: async (api) => {
    const response = await api.post(\`/slots/\${slot}\`);
    if (${dies} && slot === ${SLOTS} && response.json<Count>().value === 2 && !existsSync(marker)) {
      writeFileSync(marker, isMainThread ? "main" : "worker");
      process.exit(7);
    }
    return response;
  },
});
export const agent = new Agent({ name: "slots", world: (lane) => new World({ systems: lane.systems }), actions: ${JSON.stringify(slots)}.map(bump), invariants: [] });
`;
    const folder = (dies: boolean): string =>
      folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": SLOTS_SERVER, "slots.explore.ts": exploration(dies) });
    const undisturbed = await run(folder(false), "1");
    expect(undisturbed).toMatchObject({ statesVisited: 3 ** SLOTS, transitions: SLOTS * 3 ** SLOTS });
    const cwd = folder(true);
    const result = await run(cwd, "2");
    expect(readFileSync(join(cwd, "died"), "utf8")).toBe("worker");
    expect(comparable(result)).toEqual(comparable(undisturbed));
  });
});

/** A server of notes, whose tokens have the time that a JavaScript expression returns. It stores no tokens. */
function tokenServer(iat: string): string {
  return `
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("create table if not exists notes (id integer primary key, text text)");
const text = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signed = (payload) => payload + "." + createHmac("sha256", "secret").update(payload).digest("base64url");
createServer((request, response) => {
  const answer = (status, body = {}) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.url === "/") return answer(200);
  if (request.url === "/login") {
    const iat = ${iat};
    return answer(200, { token: signed(text({ alg: "HS256", typ: "JWT" }) + "." + text({ sub: "ann", iat, exp: iat + 3600 })) });
  }
  const token = (request.headers.authorization ?? "").slice(7);
  if (signed(token.split(".").slice(0, 2).join(".")) !== token) return answer(401);
  const { n } = db.prepare("select count(*) n from notes").get();
  if (request.url === "/clear") return answer(db.prepare("delete from notes").run().changes > 0 ? 200 : 404);
  return n > 1 ? answer(409) : answer(201, { id: db.prepare("insert into notes (text) values ('x')").run().lastInsertRowid });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
}
