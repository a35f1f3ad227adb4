import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { folderWith, only, seqqa, writtenIn, type Explored } from "../support/e2e.ts";

/** At most MOST tasks: each state costs starts of the server. The store has them; which ones are done is kept in memory. With `BUG` one that is done and removed leaves a ghost. */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH ?? ":memory:");
db.exec("CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY, title TEXT NOT NULL)");
const done = new Set();
let ghosts = 0;

createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const [, resource, verb] = request.url.split("/");
  const tasks = db.prepare("SELECT * FROM tasks ORDER BY id DESC").all();
  if (request.method === "GET") return answer(200, { tasks: tasks.length, done: done.size, ghosts });
  if (verb === "done") {
    if (tasks.length === 0) return answer(404, {});
    done.add(tasks[0].id);
    return process.env.FORM === "1" ? response.writeHead(303, { location: "/tasks" }).end() : answer(200, {});
  }
  if (request.method === "DELETE") {
    if (tasks.length === 0) return answer(404, {});
    if (done.delete(tasks[0].id) && process.env.BUG === "1") ghosts++;
    db.prepare("DELETE FROM tasks WHERE id = ?").run(tasks[0].id);
    return answer(200, {});
  }
  if (tasks.length === Number(process.env.MOST)) return answer(409, {});
  answer(201, db.prepare("INSERT INTO tasks (title) VALUES ('write') RETURNING *").get());
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

interface Parts {
  readonly bug: boolean;
  readonly hasStore: boolean;
  readonly most?: number;
  readonly world?: string;
  readonly done?: string;
  /** `true` if the server answers `done` with a redirect, as web pages answer a form. */
  readonly isForm?: boolean;
  /** The actions, by name. */
  readonly only?: readonly string[];
  readonly args?: readonly string[];
}

/** Explores the tasks by starting their server anew for each path. */
async function explored({
  bug,
  hasStore,
  most = size(1, 3),
  world = "",
  done = "",
  isForm = false,
  only: names = ["create", "done", "remove"],
  args = [],
}: Parts): Promise<Explored & { readonly status: number | null }> {
  const cwd = folderWith({
    "server.mjs": SERVER,
    "seqqa.yaml": `target:
  command: node server.mjs
  rollback: restart
  env:
    PORT: "{port}"
${hasStore ? '    DB_PATH: "{db_path}"\n' : ""}    BUG: "${bug ? 1 : 0}"
    FORM: "${isForm ? 1 : 0}"
    MOST: "${most}"
`,
    "tasks.explore.ts": `import { Action, Agent, Invariant, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
export const agent = new Agent({
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems, ${world} }),
  actions: [
    new Action({ name: "create", run: async (api, context) => { const response = await api.post("/tasks"); if (response.statusCode === 201) context.set("open", Number(context.get("open") ?? 0) + 1); return response; } }),
    new Action({ name: "done", ${done} run: async (api) => api.post("/tasks/done") }),
    new Action({ name: "remove", run: async (api, context) => { const response = await api.delete("/tasks"); if (response.statusCode === 200) context.set("open", Number(context.get("open") ?? 0) - 1); return response; } }),
  ].filter(({ name }) => ${JSON.stringify(names)}.includes(name)),
  invariants: [new Invariant({ name: "no_ghosts", check: async ({ api }) => (await api.get("/state")).json<{ ghosts: number }>().ghosts === 0 })],
});
`,
  });
  const { status } = await seqqa(["run", ".", "--output", "out", ...args], { cwd });
  return { status, ...only(writtenIn(join(cwd, "out"))) };
}

const PROBE = 'probe: async ({ api }) => (await api.get("/state")).json(),';
/** A defect that was found ends a quick run. */
const FIRST: readonly string[] = full ? [] : ["--bail"];
const found = ({ violations }: Explored): readonly string[] =>
  violations.map(({ invariant, reproductionPath }) => `${invariant}: ${reproductionPath.join(" ")}`);

describe("a write that changes nothing visible", () => {
  it.each(some([true, false], 1))(
    "makes a result unverified, with its remedies, where there is a store (answered by a redirect: %s)",
    async (isForm) => {
      const result = await explored({ bug: true, hasStore: true, isForm, most: 3, ...(!full && { only: ["create", "done"] }) });
      expect(result).toMatchObject({ status: 3, statesVisited: size(4, 5), violations: [] });
      expect(result.verdict).toMatchObject({ complete: false, exceptions: [{ kind: "invisible_state", count: 1 }] });
      const answers = isForm ? "3xx" : "2xx";
      expect(result.verdict.text).toMatch(new RegExp(`^exhaustive except changes made by done \\(\\d+ x ${answers}, nothing visible\\)`));
      expect(result.unverified.join()).toMatch(/writes? of done got a [23]xx answer.*Declare the store.*`probe`.*`changesNothing: true`/);
    },
  );

  // In the quick suite unit/run/results/unseen-writes has this.
  it.runIf(full)("is no matter where the action says so", async () => {
    const result = await explored({ bug: false, hasStore: true, done: "changesNothing: true," });
    expect(result).toMatchObject({ status: 0, verdict: { complete: true, exceptions: [] } });
  });

  it("is seen by a probe, with a store and without", async () => {
    for (const hasStore of some([false, true], 1)) {
      const result = await explored({ bug: true, hasStore, world: PROBE, args: FIRST });
      expect([result.status, found(result)]).toEqual([1, ["no_ghosts: create done remove"]]);
    }
    for (const hasStore of some([true, false], 1)) {
      expect(await explored({ bug: false, hasStore, world: PROBE, ...(!full && { only: ["create", "done"] }) })).toMatchObject({
        status: 0,
        violations: [],
        verdict: { complete: true },
      });
    }
  });
});

describe("a target without a store, a probe or stateFromContext", () => {
  it("has a state for each path of writes, to the depth of 4, and is never called exhaustive", async () => {
    // Each path costs a start: no deeper than the defect.
    const result = await explored({ bug: true, hasStore: false, isForm: true, args: ["--max-depth", "3", ...FIRST] });
    expect([result.status, found(result)]).toEqual([1, ["no_ghosts: create done remove"]]);
    const twin = await explored({ bug: false, hasStore: false, ...(!full && { only: ["create", "remove"] }) });
    expect(twin).toMatchObject({
      status: 0,
      violations: [],
      verdict: { complete: false, exceptions: [{ kind: "invisible_state" }] },
    });
    expect(twin.verdict.text).toMatch(/^complete to depth 4, .*except state not visible/);
  });

  // In the quick suite e2e/restart merges by stateFromContext, and unit/run/results/unseen-writes has the verdict.
  it.runIf(full)("is merged by what stateFromContext names, and the verdict says so", async () => {
    const twin = await explored({ bug: false, hasStore: false, world: 'stateFromContext: ["open"],' });
    expect(twin).toMatchObject({ status: 0, statesVisited: 5 });
    expect(twin.verdict.text).toMatch(/^exhaustive except what stateFromContext does not name/);
  });
});
