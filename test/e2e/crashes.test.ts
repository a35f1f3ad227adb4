import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, laneCounts, some } from "../sizes.ts";
import { folderWith, linkPackages, only, seqqa, writtenIn, type Explored, type Ran } from "../support/e2e.ts";
import { NOTES_ACTIONS, NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";
import { template } from "../support/store-templates.ts";

/** `/boom` does `how` once there is a note. */
const crashing = (how: string): string =>
  NOTES_SERVER.replace(
    "createServer((request, response) => {",
    `createServer((request, response) => {
  if (request.url === "/boom") {
    if (db.prepare("SELECT count(*) AS n FROM notes").get().n === 0) return response.end("{}");
    ${how}
    return;
  }`,
  );

const BOOM = `new Action({ name: "boom", run: async (api) => api.post("/boom", { json: { n: 3 } }) }),`;
const LAST_WORDS = `console.log("\\x1b[31mlast\\x1b[0m words \\u202eon " + process.env.PORT);`;

const crash = (how: string, config = NOTES_CONFIG): string =>
  folderWith({ "seqqa.yaml": config, "server.mjs": crashing(how), "notes.explore.ts": notesExploration({ actions: BOOM }) });

/** In the quick suite no deeper than the crash. */
const SHALLOW: readonly string[] = full ? [] : ["--max-depth", "2"];

async function run(cwd: string, parallel = 1): Promise<Explored & { readonly ran: Ran }> {
  const ran = await seqqa(["run", ".", "--parallel", String(parallel), "--output", "out", ...SHALLOW], { cwd });
  expect(ran.status).toBe(1);
  return { ...only(writtenIn(join(cwd, "out"))), ran };
}

/** Where the calls of the first finding went. */
function originsOf({ violations: [found] }: Explored): readonly string[] {
  const requests = [found!.request!, ...found!.steps.flatMap((step) => step.requests.map(({ request }) => request))];
  return [...new Set(requests.map(({ url }) => new URL(url).origin))];
}

describe("a target that dies in the middle", () => {
  it("is reported with how it ended and its last words; what tells findings and runs apart does not depend on them", async () => {
    const results: Explored[] = [];
    for (const parallel of some([1, 2], 1)) {
      const result = await run(crash(`${LAST_WORDS} process.exit(7);`), parallel);
      const [found] = result.violations;
      expect(found).toMatchObject({ invariant: "target_crashed", reproductionPath: ["add", "boom"], confirmed: true });
      const headers = expect.objectContaining({ "content-type": "application/json" }) as object;
      expect(found!.steps.at(-1)!.requests).toMatchObject([{ request: { method: "POST", headers, body: '{"n":3}' } }]);
      expect(found!.target).toEqual({ exitCode: 7, signal: null, output: [expect.stringMatching(/^last words on \d+$/)] });
      // All calls of one finding went to one lane: the one that said this.
      expect(originsOf(result)).toEqual([`http://127.0.0.1:${found!.target!.output[0]!.split(" ").at(-1)}`]);
      results.push(result);
    }
    expect(new Set(results.map(({ digest }) => digest)).size).toBe(1);
    expect(new Set(results.map(({ violations }) => `${violations[0]!.id} ${violations[0]!.message}`)).size).toBe(1);
  });

  it("by a signal, is shown to people, and what several tries repeat is quoted once", async () => {
    const { ran } = await run(crash(`console.error("out of luck"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);`));
    const says = /^ {2}target {4}ended with (?:signal SIGKILL|exit code 137 \(SIGKILL\)), and had printed last\n {4}\| out of luck$/m;
    expect(ran.stdout).toMatch(says);
    expect(ran.stderr).toMatch(says);
    expect(ran.stderr.match(/seqqa starts lane \d+ again/g)!.length).toBeGreaterThan(1);
    expect(ran.stderr.match(/out of luck/g)).toHaveLength(1);
  });

  it("is said to run still when it only hung up", async () => {
    // Once more on a new connection: an idle one may have been closed in that moment.
    const { violations } = await run(crash(`console.log("not you"); request.socket.destroy();`));
    expect(violations).toMatchObject([
      { invariant: "target_crashed", target: { exitCode: null, signal: null, output: ["not you", "not you"] } },
    ]);
  });

  it("shows its calls against the configured base_url, whichever port the lane had", async () => {
    const result = await run(crash(`process.exit(7);`, `base_url: http://127.0.0.1:3000\n${NOTES_CONFIG}`));
    expect(originsOf(result)).toEqual(["http://127.0.0.1:3000"]);
    expect(result.violations[0]!.steps.at(-1)!.requests[0]!.error).toContain(" http://127.0.0.1:3000/boom ");
  });

  it("takes no password of its store with it", async () => {
    const url = new URL(await template("postgres"));
    // Where the server trusts its own machine, any password does.
    if (url.password === "") url.password = "pw-%2Fx1";
    const secrets = [url.password, decodeURIComponent(url.password)];
    const cwd = folderWith({
      "seqqa.yaml": `db_url: ${url.href}\ntarget: { command: node server.mjs, env: { PORT: "{port}", DATABASE_URL: "{db_url}" } }\n`,
      "server.mjs": `import http from "node:http";
const url = process.env.DATABASE_URL;
const say = () => console.log("at", url, "with", new URL(url).password, "or <" + decodeURIComponent(new URL(url).password) + ">");
http.createServer((request, response) => {
  if (request.url !== "/boom") return response.end("{}");
  say();
  throw new Error("no " + decodeURIComponent(new URL(url).password));
}).listen(process.env.PORT);
`,
      "crash.explore.ts": `import { Action, Agent } from "seqqa";
export const agent = new Agent({ actions: [${BOOM}], invariants: [] });
`,
    });
    linkPackages(cwd, "seqqa", "pg");
    const { ran, violations } = await run(cwd);
    expect(violations[0]!.target!.output).toContainEqual(
      expect.stringMatching(/^at postgres(?:ql)?:\/\/\[redacted\]@.* with \*\*\* or <\*\*\*>$/),
    );
    expect(violations[0]!.target!.output).toContain("Error: no ***");
    const all = ran.stdout + ran.stderr + readFileSync(join(cwd, "out", "results.json"), "utf8");
    for (const secret of secrets) expect(all).not.toContain(secret);
  });
});

/** Ends the target, or never answers, when `GET /boom` is asked for while there are `notes` notes at least. */
const crashingCheck = (
  notes: number,
  how: string,
  rules: { readonly rule?: string; readonly invariant?: string },
  config = NOTES_CONFIG,
): string =>
  folderWith({
    "seqqa.yaml": config,
    "server.mjs": NOTES_SERVER.replace(
      "createServer((request, response) => {",
      `createServer((request, response) => {
  if (request.url === "/boom") {
    if (db.prepare("SELECT count(*) AS n FROM notes").get().n < ${notes}) return response.end("{}");
    ${how}
    return;
  }`,
    ),
    "notes.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
import { Rule } from "seqqa/rules";
const ask = async (api: { get(path: string): Promise<{ ok: boolean }> }) => (await api.get("/boom")).ok;
const quietly = async (api: never) => ask(api).catch(() => true);
export const agent = new Agent({
  actions: [${NOTES_ACTIONS}],
  invariants: [
    new Invariant({ name: "holds", check: async (world) => (await world.api.get("/notes")).ok }),
    ${rules.invariant === undefined ? "" : `new Invariant({ name: "asks", check: (world) => ${rules.invariant}(world.api as never) }),`}
    ${rules.rule === undefined ? "" : `new Rule({ name: "asks", judge: (world) => ${rules.rule}(world.api as never) }),`}
    new Invariant({ name: "later", check: async (world) => (await world.api.get("/notes").catch(() => ({ ok: false }))).ok }),
  ],
});
`,
  });

describe("a target that dies of a request of a check", () => {
  const checks: readonly (readonly [which: string, rules: { readonly rule?: string; readonly invariant?: string }])[] = [
    ["an invariant", { invariant: "ask" }],
    ["a rule that keeps quiet about it", { rule: "quietly" }],
    ["an invariant that keeps quiet about it", { invariant: "quietly" }],
    ["a rule", { rule: "ask" }],
  ];
  it.each(some(checks, 1))("is a finding that names the check and the path: %s", async (_which, rules) => {
    const results: Explored[] = [];
    for (const parallel of full ? [1, 2] : [1]) {
      const cwd = crashingCheck(1, `console.log("ouch"); process.exit(7);`, rules);
      const result = await run(cwd, parallel);
      expect(result.errors).toEqual([]);
      expect(result.violations).toMatchObject([
        {
          invariant: "target_crashed",
          message: "The target stopped answering during a request of asks after add. The same happened again from a clean start",
          reproductionPath: ["add"],
          confirmed: true,
          target: { exitCode: 7, output: ["ouch"] },
        },
      ]);
      expect(result.violations[0]!.checks!.map(({ request }) => new URL(request.url).pathname)).toEqual(["/boom"]);
      if (parallel === 1) {
        const again = await seqqa(["replay", result.violations[0]!.id, "--output", "out"], { cwd });
        expect(again.status, again.stdout + again.stderr).toBe(1);
      }
      results.push(result);
    }
    expect(new Set(results.map(({ digest }) => digest)).size).toBe(1);
  });

  it("in the root state, is a finding too, and no action is blamed for it", async () => {
    const { violations, errors } = await run(crashingCheck(0, `process.exit(7);`, { invariant: "quietly" }));
    expect(errors).toEqual([]);
    expect(violations).toMatchObject([
      {
        invariant: "target_crashed",
        message: "The target stopped answering during a request of asks in the root state",
        reproductionPath: [],
        confirmed: true,
        target: { exitCode: 7 },
      },
    ]);
  });

  it("and one that hangs at it is a timeout of the check", async () => {
    const { violations, errors } = await run(crashingCheck(2, "", { rule: "quietly" }, `timeout: 0.4\n${NOTES_CONFIG}`));
    expect(errors).toEqual([]);
    expect(violations).toMatchObject([
      {
        invariant: "asks_timeout",
        message: "A request of asks got no answer in time after add. The same happened again from a clean start",
        reproductionPath: ["add", "add"],
        confirmed: true,
      },
    ]);
  });
});

describe("a target that dies some time after it answered", () => {
  it("leaves a trace, although no step shows it again", async () => {
    const cwd = crashingCheck(1, `response.end("{}"); setTimeout(() => { console.log("too late"); process.exit(7); }, 3);`, {
      rule: "ask",
    });
    const ran = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { violations, notes } = only(writtenIn(join(cwd, "out")));
    // By chance it is gone at the same step three times.
    const said = [...notes, ...violations.map(({ invariant }) => invariant)].join("\n");
    expect(said, ran.stderr).toMatch(/^A target ended .* ended with exit code 7\. Its last output: too late$|target_crashed/m);
  });
});

describe("a target that dies while its lane is brought up", () => {
  it.each(laneCounts)("is reported with how it ended and its last words, with --parallel %s", async (parallel) => {
    const cwd = folderWith({
      "seqqa.yaml": NOTES_CONFIG,
      "server.mjs": crashing(`console.log("never again"); process.exit(7);`),
      "notes.explore.ts": notesExploration({
        more: `setup: async (world) => { await world.api.post("/notes"); await world.api.post("/boom"); },`,
      }),
    });
    const ran = await seqqa(["run", ".", "--parallel", parallel, "--output", "out"], { cwd });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toMatch(
      /^error: .*POST http:\/\/127\.0\.0\.1:\d+\/boom got no answer from the target\. The target of lane \d ended with exit code 7\. Its last output:\n {2}\| never again\nhint: /m,
    );
  });
});
