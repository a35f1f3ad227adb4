import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, laneCounts, size, some } from "../sizes.ts";
import { explore, type Model } from "../models/index.ts";
import { CACHING_SERVER } from "../support/caching-server.ts";
import { LINKS_SERVER } from "../support/links-server.ts";
import { commandOf, descendants, documentOf, folderWith, isRunning, only, seqqa, start, until, type Explored } from "../support/e2e.ts";

const config = (rollback: string, more = ""): string => `
target:
  command: node server.mjs
  env:
    PORT: "{port}"
    DB_PATH: "{db_path}"
    STRICT: "0"
  rollback: ${rollback}
${more}`;

/** Two notes that are put, changed up to their third version, and deleted. */
const EXPLORATION = `import { Action, Agent } from "seqqa";
const on = (id) => ["PUT", "PATCH", "DELETE"].map((verb) => new Action({
  name: verb.toLowerCase() + "_" + id,
  run: async (api) => api.request(verb, "/" + id),
}));
export const agent = new Agent({ name: "notes", actions: [...on(1), ...on(2)], invariants: [], maxSteps: 100_000 });
`;

/** The versions of the two notes, 0 where there is none. */
const notes: Model<readonly number[]> = {
  initial: [0, 0],
  actions: [1, 2].flatMap((id) => ["put", "patch", "delete"].map((verb) => `${verb}_${id}`)),
  step: (state, action) => {
    const [verb, id] = action.split("_") as [string, string];
    const version = state[Number(id) - 1]!;
    const becomes = (value: number, status = 200): { status: number; state: readonly number[] } => ({
      status,
      state: state.with(Number(id) - 1, value),
    });
    if (verb === "put") return version > 0 ? { status: 409, state } : becomes(1, 201);
    if (version === 0) return { status: 404, state };
    if (verb === "delete") return becomes(0);
    return version === 3 ? { status: 409, state } : becomes(version + 1);
  },
  broken: () => [],
};

/** How often each status comes in the model. */
function statuses(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let a = 0; a <= 3; a++) {
    for (let b = 0; b <= 3; b++) {
      for (const action of notes.actions) {
        const { status } = notes.step([a, b], action)!;
        counts[status] = (counts[status] ?? 0) + 1;
      }
    }
  }
  return counts;
}

function seen({ coverage }: Explored): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { statuses: each } of Object.values(coverage.actions)) {
    for (const [status, count] of Object.entries(each)) counts[status] = (counts[status] ?? 0) + count;
  }
  return counts;
}

async function run(
  rollback: string,
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<Explored & { status: number | null }> {
  const cwd = folderWith({ "seqqa.yaml": config(rollback), "server.mjs": CACHING_SERVER, "notes.explore.js": EXPLORATION, ...files });
  const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out", ...args], { cwd });
  expect(ran.stderr).toBe("");
  return { ...only(documentOf(ran)), status: ran.status };
}

describe("a target that caches its rows", () => {
  it("is seen wrongly where its stores alone are put back, and the run says so", async () => {
    const result = await run("stores", []);
    expect(result.status).toBe(3);
    expect(result.divergences.length).toBeGreaterThan(0);
    expect(result.divergences.map(({ hint }) => hint).join("\n")).toContain("target.rollback: restart");
    expect(seen(result)).not.toEqual(statuses());
  });

  // In the quick suite two lanes are restarted below, until a signal ends them.
  it.each(full ? laneCounts : ["1"])("is seen rightly with target.rollback: restart, with %s lanes", async (lanes) => {
    const depth = "2";
    // In the quick suite of one note.
    const model = { ...notes, actions: notes.actions.slice(0, size(3, 6)) };
    const counts = explore(model, { maxDepth: Number(depth) });
    const files = { "notes.explore.js": full ? EXPLORATION : EXPLORATION.replace(", ...on(2)", "") };
    const result = await run("restart", ["--parallel", lanes, "--max-depth", depth], files);
    expect(result).toMatchObject({ status: 0, statesVisited: counts.states, transitions: counts.transitions, divergences: [], errors: [] });
    expect(result.replayed).toBe(0);
    expect(result.notes).toContain("target: restart: before every step, seqqa restores the stores and starts a new process of the target");
    digests.add(result.digest);
    expect(digests.size).toBe(1);
  });

  const digests = new Set<string>();

  it("is refused together with checkpoints that live in the process", async () => {
    const cwd = folderWith({
      "seqqa.yaml": config("restart"),
      "server.mjs": CACHING_SERVER,
      "notes.explore.js": `import { Action, Agent, World } from "seqqa";
import { RemoteAdapter } from "seqqa/adapters/remote";
export const agent = new Agent({
  world: (lane) => new World({ systems: { app: new RemoteAdapter({ url: lane.baseUrl + "/__seqqa" }) } }),
  actions: [new Action({ name: "look", run: async (api) => api.get("/") })],
  invariants: [],
});
`,
    });
    const ran = await seqqa(["run", ".", "--output", "out"], { cwd });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain(
      'target.rollback is restart, but the target keeps the checkpoints of store "app" in its process, so a restart deletes them.',
    );
  });
});

describe("a target that stores its absolute URLs", () => {
  /** Follows the stored URLs. @param setup the code of the option `setup` */
  const following = (setup: string): string => `import { Action, Agent } from "seqqa";
const has = (context) => context.has("last");
export const agent = new Agent({
  name: "links",
  ${setup}
  actions: [
    new Action({ name: "create", run: async (api, context) => {
      const made = await api.post("/docs");
      if (made.statusCode === 201) context.set("last", made.json().self);
      return made;
    } }),
    new Action({ name: "open", precondition: has, run: (api, context) => api.get(context.get("last")) }),
    new Action({ name: "remove", precondition: has, run: (api, context) => api.delete(context.get("last")) }),
  ],
  invariants: [],
});
`;

  // With rollback: restart, each lane has copies, and each copy has its own port.
  const setups: readonly (readonly [string, string])[] = [
    ["also before the exploration", 'setup: ({ api }) => api.put("/docs"),'],
    ["", ""],
  ];
  it.each(some(setups, 1))(
    "is explored alike with both rollbacks, with one lane and with two %s",
    { timeout: 200_000 },
    async (_when, setup) => {
      const files = { "server.mjs": LINKS_SERVER, "notes.explore.js": following(setup) };
      const digests = new Set<string>();
      const ways = ["stores", "restart"].flatMap((rollback) => ["1", "2"].map((lanes) => [rollback, lanes] as const));
      // In the quick suite, each rollback and each number of lanes occurs once.
      for (const [rollback, lanes] of full ? ways : [ways[0]!, ways[3]!]) {
        const result = await run(rollback, ["--parallel", lanes], files);
        expect(result, `${rollback}, ${lanes} lanes`).toMatchObject({ status: 0, divergences: [], errors: [] });
        digests.add(result.digest);
      }
      expect(digests.size).toBe(1);
    },
  );
});

/** No store at all: a counter, and sessions, in memory. */
const COUNTER = `
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
let n = 0;
const sessions = new Set();
createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.url === "/login") {
    const token = randomUUID();
    sessions.add(token);
    return answer(200, { token });
  }
  if (request.url === "/reset") {
    n = 0;
    sessions.clear();
    return answer(200, {});
  }
  if (request.method === "GET") return answer(200, { n });
  if (!sessions.has((request.headers.authorization ?? "").slice(7))) return answer(401, {});
  n = request.url === "/up" ? Math.min(n + 1, 2) : process.env.BUG && n === 2 ? -1 : 0;
  answer(200, { n });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const counting = (world: string): string => `import { Action, Agent, Invariant, World } from "seqqa";
const post = (name) => new Action({ name, run: async (api, context) => {
  const answer = await api.post("/" + name);
  context.set("n", answer.json().n);
  return answer;
} });
export const agent = new Agent({
  name: "counter",
  world: () => new World({ stateFromContext: ["n"], ${world} }),
  setup: async (world) => world.api.setAuthToken((await world.api.post("/login")).json().token),
  actions: [post("up"), post("down"), new Action({ name: "look", run: async (api) => api.get("/") })],
  invariants: [new Invariant({ name: "not_negative", severity: "high", check: (world) => world.context.get("n", { default: 0 }) >= 0 })],
});
`;

const COUNTER_CONFIG = (rollback: string): string => `
target:
  command: node server.mjs
  env:
    PORT: "{port}"
    BUG: "\${BUG:-}"
  rollback: ${rollback}
`;

const WAYS: readonly (readonly [by: string, rollback: string, world: string, note: string])[] = [
  [
    "the World's reset",
    "stores",
    'reset: async (world) => { await world.api.post("/reset"); }',
    "target: reset and replay: the `reset` of the World restores the root state",
  ],
  ["restart", "restart", "", "target: restart and replay: a new process begins in the root state"],
];

// In the quick suite e2e/invisible-state explores a target without a store that is put back by restart.
describe.each(some(WAYS, 1))("a target without any store, put back by %s", (_, rollback, world, note) => {
  it("equals its model, logged in anew each time; the planted bug is found", async () => {
    const files = { "server.mjs": COUNTER, "counter.explore.js": counting(world), "seqqa.yaml": COUNTER_CONFIG(rollback) };
    const digests = new Set<string>();
    for (const lanes of laneCounts) {
      const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out", "--parallel", lanes], { cwd: folderWith(files) });
      const result = only(documentOf(ran));
      // Nothing known, then 0 to 2.
      expect({ ...result, status: ran.status, stderr: ran.stderr }).toMatchObject({
        status: 0,
        stderr: "",
        statesVisited: 4,
        transitions: 12,
        divergences: [],
        errors: [],
      });
      expect(seen(result)).toEqual({ 200: 12 });
      expect(result.replayed).toBeGreaterThan(0);
      expect(result.notes.join("\n")).toContain(note);
      digests.add(result.digest);
    }
    expect(digests.size).toBe(1);
    const bug = await seqqa(["run", ".", "--bail", "--reporter", "json", "--output", "out"], { cwd: folderWith(files), env: { BUG: "1" } });
    expect(bug.status).toBe(1);
    expect(only(documentOf(bug)).violations).toMatchObject([
      { invariant: "not_negative", reproductionPath: ["up", "up", "down"], confirmed: true },
    ]);
  });
});

describe("with nothing at all", () => {
  it("the run says at the start, in its report and in its result that only the context is put back", async () => {
    const files = { "server.mjs": COUNTER, "counter.explore.js": counting(""), "seqqa.yaml": COUNTER_CONFIG("stores") };
    const says =
      "No store is declared, so seqqa restores only the context between branches, and not the data of the API. Declare the store with db_url or systems.";
    const cwd = folderWith(files);
    const shown = await seqqa(["run", ".", "--output", "out"], { cwd });
    expect(shown.stdout + shown.stderr).toContain(`note: ${says}`);
    const written = JSON.parse(readFileSync(join(cwd, "out", "results.json"), "utf8")) as {
      explorations: readonly { notes: readonly string[] }[];
    };
    expect(written.explorations[0]!.notes).toContain(says);
  });
});

describe("restarting", () => {
  const targetsOf = (pid: number): readonly number[] => descendants(pid).filter((one) => /(?:^|\/)node server\.mjs$/.test(commandOf(one)));
  const left = (pid: number): readonly string[] =>
    ["/dev/shm", tmpdir()].flatMap((base) => {
      const shared = join(base, `seqqa-${process.getuid?.()}`);
      if (!existsSync(shared)) return [];
      return readdirSync(shared).filter((name) => {
        const owner = join(shared, name, "owner.json");
        return existsSync(owner) && (JSON.parse(readFileSync(owner, "utf8")) as { readonly pid: number }).pid === pid;
      });
    });

  // In the quick suite e2e/run-interrupted has the other one.
  it.each(some(["SIGKILL", "SIGINT"] as const, 1))(
    "%s in the middle leaves no process and no file, at the latest after the next run",
    { timeout: 200_000 },
    async (signal) => {
      const files = { "seqqa.yaml": config("restart"), "server.mjs": CACHING_SERVER, "notes.explore.js": EXPLORATION };
      const running = start(["run", ".", "--output", "out", "--parallel", "2"], { cwd: folderWith(files) });
      const pids = new Set<number>();
      // More processes than there are at once: some were ended and started again.
      await until(
        () => {
          for (const one of targetsOf(running.pid)) pids.add(one);
          return pids.size > size(3, 5);
        },
        "restarts",
        90_000,
      );
      const atTheEnd = descendants(running.pid);
      running.child.kill(signal);
      const ended = await running.ended;
      if (signal === "SIGINT") expect(ended.status).toBe(130);
      else {
        const next = await seqqa(["run", ".", "--max-steps", "2", "--output", "out"], { cwd: folderWith(files) });
        expect(next.status).toBe(0);
      }
      await until(
        () => ![...pids, ...atTheEnd].some((pid) => isRunning(pid) && /server\.mjs/.test(commandOf(pid))),
        "no process left",
        5000,
      );
      expect(left(running.pid)).toEqual([]);
    },
  );
});
