import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Queue, type Job } from "bullmq";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { size } from "../sizes.ts";
import { checkout, coordinator, edit, endings, ownRedis, SECRET, worker } from "../support/cluster.ts";
import { atEnd, emptyFolder, folderWith, linkPackages, seqqa, until, type Running } from "../support/e2e.ts";
import { outcomeIn } from "../support/outcome.ts";

/** What must be the same, whoever expanded the states. */
const found = (output: string): unknown =>
  outcomeIn(output, ({ violations, divergences, errors }) => ({
    violations: violations.map(({ id, reproductionPath, confirmed, count, state, minimality, steps }) => ({
      id,
      reproductionPath,
      confirmed,
      count,
      state,
      minimality,
      steps: steps.length,
    })),
    divergences,
    errors,
  }));

const said = ({ said: { stdout, stderr } }: Running): string => stdout + stderr;
const LEDGER = "fixtures/ledger";
const BUDGET = String(size(3000, 30_000));

/** The ledger over HTTP and SQLite, with its planted defect, as a local run finds it. */
async function locally(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const output = emptyFolder();
  await seqqa(["run", LEDGER, ...args, "--output", output], { env, timeoutMs: 300_000 });
  return output;
}

describe("a distributed run", () => {
  it("comes to the digest of the local run, while workers are killed and added", { timeout: 600_000 }, async () => {
    const env = { BUG: "1" };
    const args = ["--only", "ledger", "--max-steps", BUDGET];
    const { url } = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url, directory: LEDGER, env, args: [...args, "--output", output, "--verbose"] });
    const clones = [checkout("ledger"), checkout("ledger"), checkout("ledger")];
    const add = (n: number): Running =>
      worker({ url, directory: LEDGER, env, cwd: clones[n % 3]!, args: n % 3 === 1 ? ["--parallel", "2"] : [] });
    const workers = [add(0), add(1), add(2)];
    await until(() => (said(run).match(/ joined with /g) ?? []).length >= 2, "two workers", 120_000);
    const killed: Running[] = [];
    let isOver = false;
    void run.ended.then(() => (isOver = true));
    for (let n = 3; n < 7 && !isOver; n++) {
      const victim = workers.shift()!;
      const joined = (said(run).match(/ joined with /g) ?? []).length;
      victim.child.kill("SIGKILL");
      killed.push(victim);
      workers.push(add(n));
      await until(() => isOver || (said(run).match(/ joined with /g) ?? []).length > joined, "another worker", 120_000);
    }
    expect([(await run.ended).status, said(run)]).toEqual([1, expect.stringContaining("was not heard of for 10 s")]);
    expect(killed.length).toBeGreaterThan(1);
    expect(await endings(workers)).toEqual(workers.map(() => 0));
    expect(found(output)).toEqual(found(await locally(args, env)));
  });

  it("waits for workers and says how to start them; for several explorations one after another", { timeout: 300_000 }, async () => {
    const { url } = await ownRedis();
    const output = emptyFolder();
    const args = ["--max-steps", "700"];
    const run = coordinator({ url, directory: LEDGER, args: [...args, "--output", output] });
    await until(() => said(run).includes("Waiting for workers: start them"), "that it waits", 60_000);
    expect(said(run)).toContain(`seqqa worker --redis ${url}/0`);
    const workers = [worker({ url, directory: LEDGER, cwd: checkout("ledger") }), worker({ url, directory: LEDGER })];
    expect((await run.ended).status).toBe(0);
    expect(await endings(workers)).toEqual([0, 0]);
    expect(said(workers[0]!) + said(workers[1]!)).toMatch(/Joined ledger with 1 lane\.[^]*Joined memory with 1 lane\./);
    expect(found(output)).toEqual(found(await locally(args, {})));
    expect((found(output) as readonly unknown[]).length).toBe(2);
  });

  it("waits for a Redis that is killed and comes back empty, and finishes", { timeout: 600_000 }, async () => {
    const args = ["--only", "ledger", "--max-steps", BUDGET];
    const server = await ownRedis();
    const { url } = server;
    const output = emptyFolder();
    const run = coordinator({ url, directory: LEDGER, args: [...args, "--output", output] });
    const workers = [worker({ url, directory: LEDGER }), worker({ url, directory: LEDGER, cwd: checkout("ledger") })];
    await until(() => (said(run).match(/ joined with /g) ?? []).length === 2, "workers", 120_000);
    for (const ms of [3000, 200]) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await server.restart!(ms);
    }
    expect((await run.ended).status).toBe(0);
    expect(said(run)).toMatch(/Redis at redis:\S+ is away; waiting for it\.[^]*Redis at redis:\S+ is back\./);
    expect(await endings(workers)).toEqual([0, 0]);
    expect(found(output)).toEqual(found(await locally(args, {})));
  });

  it("takes no harm from a worker that stood still and answers late what another one has answered", { timeout: 300_000 }, async () => {
    const env = { WAIT_MS: "2" };
    const args = ["--only", "ledger", "--max-steps", "4000"];
    const { url } = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url, directory: LEDGER, env, args: [...args, "--output", output] });
    const workers = [worker({ url, directory: LEDGER, env }), worker({ url, directory: LEDGER, env })];
    await until(() => (said(run).match(/ joined with /g) ?? []).length === 2, "workers", 120_000);
    workers[0]!.child.kill("SIGSTOP");
    await until(() => said(run).includes("was not heard of"), "silence", 60_000);
    // Its job goes to the other one once its lock has run out.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    workers[0]!.child.kill("SIGCONT");
    expect((await run.ended).status).toBe(0);
    expect(await endings(workers)).toEqual([0, 0]);
    expect(found(output)).toEqual(found(await locally(args, env)));
  });

  it(
    "interrupted, ends with what was found; its workers end with it, and nothing stays in Redis but what expires",
    { timeout: 300_000 },
    async () => {
      const env = { WAIT_MS: "5" };
      const { url } = await ownRedis();
      const output = emptyFolder();
      const run = coordinator({ url, directory: LEDGER, env, args: ["--only", "ledger", "--output", output] });
      const workers = [worker({ url, directory: LEDGER, env }), worker({ url, directory: LEDGER, env, args: ["--parallel", "2"] })];
      await until(() => (said(run).match(/ joined with /g) ?? []).length === 2, "workers", 120_000);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      workers[1]!.child.kill("SIGINT");
      expect((await workers[1]!.ended).status).toBe(130);
      await until(() => / left \(1 worker, 1 lane in all\)/.test(said(run)), "that it left", 20_000);
      run.child.kill("SIGINT");
      expect((await run.ended).status).toBe(130);
      expect((await workers[0]!.ended).status).toBe(0);
      expect(outcomeIn(output, ({ steps: made }) => ({ made }))).toMatchObject([{ stopReason: "interrupted" }]);
      const client = new Redis(url);
      try {
        const keys = await client.keys("*");
        const lasting = [];
        for (const key of keys) if ((await client.ttl(key)) < 0) lasting.push(key);
        expect(lasting).toEqual([]);
      } finally {
        client.disconnect();
      }
    },
  );
});

describe("what goes wrong around it", () => {
  it("interrupted while its Redis is away, a run ends with what was found", { timeout: 300_000 }, async () => {
    const env = { WAIT_MS: "5" };
    const server = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url: server.url, directory: LEDGER, env, args: ["--only", "ledger", "--output", output] });
    const one = worker({ url: server.url, directory: LEDGER, env });
    await until(() => said(run).includes(" joined with "), "a worker", 120_000);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await server.stop();
    run.child.kill("SIGINT");
    expect((await run.ended).status).toBe(130);
    expect(outcomeIn(output, ({ steps: made }) => ({ made }))).toMatchObject([{ stopReason: "interrupted" }]);
    one.child.kill("SIGINT");
    expect((await one.ended).status).toBe(130);
  });

  it("a Redis that takes no writes is said, with exit status 3", { timeout: 60_000 }, async () => {
    const { url } = await ownRedis();
    const client = new Redis(url);
    await client.config("SET", "maxmemory-policy", "noeviction");
    await client.config("SET", "maxmemory", "1kb");
    client.disconnect();
    const { status, stderr } = await coordinator({ url, directory: LEDGER, args: ["--output", emptyFolder()] }).ended;
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/Redis at redis:\S+ refused a command: OOM .*\nhint: /),
    });
  });

  it(
    "a worker waits for its own run beside another one's, and takes the one that it fits of two with its secret",
    { timeout: 300_000 },
    async () => {
      const { url } = await ownRedis();
      const other = checkout("ledger");
      edit(other, "fixtures/ledger/seqqa.yaml", (text) => `timeout: 7\n${text}`);
      const begin = (options: Partial<Parameters<typeof coordinator>[0]>): Running =>
        coordinator({ url, directory: LEDGER, args: ["--only", "ledger", "--max-steps", "300", "--output", emptyFolder()], ...options });
      const strange = begin({ secret: "somebody else's" });
      await until(() => said(strange).includes("Waiting for workers"), "a stranger's run", 60_000);
      const one = worker({ url, directory: LEDGER });
      await until(() => said(one).includes("Waiting for a run"), "that it waits", 60_000);
      const mine = begin({});
      expect([(await mine.ended).status, (await one.ended).status]).toEqual([0, 0]);
      const fitting = begin({});
      await until(() => said(fitting).includes("Waiting for workers"), "the older run", 60_000);
      const newer = begin({ cwd: other });
      await until(() => said(newer).includes("Waiting for workers"), "the newer run", 60_000);
      const another = worker({ url, directory: LEDGER });
      expect([(await fitting.ended).status, (await another.ended).status]).toEqual([0, 0]);
      expect(said(another)).toMatch(/was refused: its configuration differs in timeout\. Another run is tried\./);
      for (const run of [strange, newer]) run.child.kill("SIGINT");
      expect([(await strange.ended).status, (await newer.ended).status]).toEqual([130, 130]);
    },
  );
});

describe("refused by name", () => {
  it("a worker with another secret, other code, another configuration, another root or none of it", { timeout: 300_000 }, async () => {
    const { url } = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url, directory: LEDGER, args: ["--only", "ledger", "--max-steps", "400", "--output", output] });
    await until(() => said(run).includes("Waiting for workers"), "the run", 60_000);
    const refused = async (why: RegExp, byRun: RegExp | undefined, more: Partial<Parameters<typeof worker>[0]>): Promise<void> => {
      const one = worker({ url, directory: LEDGER, ...more });
      const { status, stderr, stdout } = await one.ended;
      expect([status, stderr, stdout]).toEqual([2, expect.stringMatching(why), ""]);
      expect(stderr).toMatch(/^error: This worker was refused: /m);
      if (byRun !== undefined) await until(() => byRun.test(said(run)), String(byRun), 10_000);
    };
    const code = checkout("ledger");
    edit(code, "fixtures/ledger/orders.ts", (text) => `${text}\nObject.assign(globalThis, { more: 1 });\n`);
    const config = checkout("ledger");
    edit(config, "fixtures/ledger/seqqa.yaml", (text) => `timeout: 7\n${text}`);
    const roots = checkout("ledger");
    edit(roots, "fixtures/ledger/stores/sqlite.mjs", (text) =>
      text.replace(/CREATE TABLE/, "CREATE TABLE strange (id INTEGER PRIMARY KEY); INSERT INTO strange VALUES (1); CREATE TABLE"),
    );
    await refused(/the run was not sealed with this SEQQA_SECRET/, /A message from Redis was refused/, { secret: "another one" });
    await refused(
      /the code of ledger\.explore\.ts differs \([0-9a-f]{8} in the run, [0-9a-f]{8} there\)/,
      /Worker \S+:\d+ was refused: the code of ledger\.explore\.ts differs/,
      { cwd: code },
    );
    await refused(/its configuration differs in timeout/, /Worker \S+:\d+ was refused: its configuration differs in timeout/, {
      cwd: config,
    });
    await refused(/its configuration differs in target\.env\.BUG/, undefined, { env: { BUG: "1" } });
    await refused(/its lanes begin in another state: .*strange/, /was refused: its lanes begin in another state/, { cwd: roots });
    await refused(/there is no ledger\.explore\.ts in /, undefined, { directory: "fixtures/stock" });
    // None of them did anything, and one that fits is still taken.
    expect(said(run)).not.toContain("joined");
    expect((await worker({ url, directory: LEDGER, cwd: checkout("ledger") }).ended).status).toBe(0);
    expect((await run.ended).status).toBe(0);
    for (const text of [said(run), ...textsIn(output)]) expect(text).not.toContain(SECRET);
  });

  it("a job that was not made by the run: it is not executed", { timeout: 300_000 }, async () => {
    const { url } = await ownRedis();
    const folder = folderWith({ "counter.explore.ts": COUNTER, "seqqa.yaml": "exploration: { max_depth: 3 }\n" });
    linkPackages(folder, "seqqa");
    const log = join(emptyFolder(), "log");
    const env = { LOG: log };
    const output = emptyFolder();
    const client = new Redis(url, { maxRetriesPerRequest: null });
    atEnd(() => client.disconnect());
    /** A run, its worker, and a job of it as it is in Redis. */
    const begin = async (): Promise<{ run: Running; one: Running; queue: Queue; name: string; sealed: string }> => {
      const run = coordinator({ url, directory: folder, env, args: ["--output", output] });
      const one = worker({ url, directory: folder, env });
      let job: Job | undefined;
      let name = "";
      let queue: Queue | undefined;
      await until(
        async () => {
          const named = (await client.keys("seqqa:*:c*-1")).find((key) => !key.endsWith(":lock"));
          if (named === undefined) return false;
          name = named.split(":")[1]!;
          await queue?.close();
          queue = new Queue(name, { connection: client, prefix: "seqqa" });
          job = await queue.getJob(named.split(":")[2]!);
          return job !== undefined;
        },
        "a job",
        60_000,
      );
      return { run, one, queue: queue!, name, sealed: (job!.data as { readonly sealed: string }).sealed };
    };
    const earlier = await begin();
    expect(await endings([earlier.run, earlier.one])).toEqual([0, 0]);
    await earlier.queue.close();
    await until(async () => (await client.keys("seqqa:*:c*-1")).length === 0, "that its jobs are gone");

    const { run, one, queue, name, sealed } = await begin();
    // Steps that no job of the run takes: it is at most three from the root.
    const forged = sealed.replace(/"words":"[^"]*"/, `"words":"${wordsFor([0, 0, 0, 0, 0])}"`);
    expect(forged).not.toBe(sealed);
    const jobs: readonly (readonly [string, unknown])[] = [
      ["c101-1", { sealed: forged }],
      ["c102-1", { units: [{ path: [0, 0, 0, 0, 0], from: 0, to: 2 }] }],
      ["c103-1", { sealed: "x".repeat(1_000_000) }],
      ["c104-1", JSON.parse('{ "__proto__": { "sealed": "x" }, "constructor": 1 }')],
      // Of an earlier run, with the same secret.
      [`c${/^\S+ \S+ (\d+)\n/.exec(earlier.sealed.slice(43))![1]}-9`, { sealed: earlier.sealed }],
      // One of this run in the place of another.
      ["c105-1", { sealed }],
      ["ours", { sealed }],
    ];
    for (const [jobId, data] of jobs) await queue.add("chunk", data, { jobId, lifo: true });
    // Answers that nobody gave.
    const inbox = `seqqa-run:${name.split("-")[0]!}:inbox`;
    for (const text of ["", "{", "x".repeat(1_000_000), sealed, `${"A".repeat(43)}result ${name} 1\n{}`]) await client.rpush(inbox, text);
    expect([(await run.ended).status, said(run)]).toEqual([0, expect.stringContaining("A message from Redis was refused")]);
    const ended = await one.ended;
    expect([ended.status, ended.stderr]).toEqual([0, expect.stringContaining("A job was refused: it was not made by the run.")]);
    const executed = readFileSync(log, "utf8").trim().split("\n");
    expect(executed.length).toBeGreaterThan(20);
    expect(executed.filter((line) => Number(line) > 3)).toEqual([]);
    await queue.close();
    const local = emptyFolder();
    await seqqa(["run", folder, "--output", local], { env: { LOG: "/dev/null" } });
    expect(found(output)).toEqual(found(local));
  });
});

describe("before anything is done", () => {
  it("says what is missing, in one sentence and by its exit status", { timeout: 120_000 }, async () => {
    const url = "redis://user:pass-word@127.0.0.1:1/0";
    const env = { SEQQA_SECRET: SECRET };
    const says = async (
      args: readonly string[],
      status: number,
      text: string,
      more: Readonly<Record<string, string>> = {},
    ): Promise<void> => {
      const ran = await seqqa(args, { env: more });
      expect([ran.status, ran.stderr, ran.stdout]).toEqual([status, expect.stringContaining(text), ""]);
      expect(ran.stderr).not.toContain("pass-word");
      expect(ran.stderr).not.toContain(SECRET);
      expect(ran.stderr.match(/^error: /gm)).toHaveLength(1);
    };
    await says(["run", LEDGER, "--distributed", url], 2, "--distributed needs the environment variable SEQQA_SECRET");
    await says(["worker", "--redis", url, LEDGER], 2, "seqqa worker needs the environment variable SEQQA_SECRET");
    await says(["worker", LEDGER], 2, "--redis", env);
    await says(["run", LEDGER, "--distributed", "http://x"], 2, "The URL of a Redis store cannot be used", env);
    await says(["run", LEDGER, "--distributed", url], 3, "Connection refused (redis://127.0.0.1:1/0)", env);
    await says(["worker", LEDGER, "--redis", url], 3, "Connection refused (redis://127.0.0.1:1/0)", env);
    await says(["run", "--all", "--distributed", url], 2, "--distributed is for explorations", env);
  });
});

/** Everything that is written in a folder. */
function textsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));
}

/** A unit of a chunk: both actions at a path. */
function wordsFor(path: readonly number[]): string {
  const words = Int32Array.from([0, 2, 1, 1, 1, -1, path.length, ...path]);
  return Buffer.from(words.buffer).toString("base64");
}

/** Counts two things, and writes down how far every execution is from the root. */
const COUNTER = `
import { appendFileSync } from "node:fs";
import { Action, Agent, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";

const count = (name: string) => new Action({
  name,
  run: async (db: any) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    db.state[name] = (db.state[name] ?? 0) + 1;
    appendFileSync(process.env.LOG!, ((db.state.a ?? 0) + (db.state.b ?? 0)) + "\\n");
    return ApiResponse.of(200);
  },
});
export const agent = new Agent({
  world: () => {
    const db = new MemoryAdapter({ state: {} as Record<string, number> });
    return new World({ api: db, systems: { db } });
  },
  actions: [count("a"), count("b")],
  invariants: [],
});
`;
