import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Queue, type Job } from "bullmq";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import {
  checkout,
  coordinator,
  countersIn,
  edit,
  endings,
  found,
  locally,
  ownRedis,
  said,
  SECRET,
  textsIn,
  worker,
  workerHere,
} from "../support/cluster.ts";
import { atEnd } from "../support/at-end.ts";
import { emptyFolder, folderWith, linkPackages, seqqa, until, type Ran, type Running } from "../support/e2e.ts";
import { outcomeIn } from "../support/outcome.ts";
import { stepsIn } from "../support/stored-edges.ts";

const LEDGER = "fixtures/ledger";
const BUDGET = String(size(150, 30_000));
/** Calls of a small run take a while, so that it is not over before anything went wrong. */
const SLOWLY: Readonly<Record<string, string>> = full ? {} : { WAIT_MS: "60" };

/** Of what counts in memory; calls of a small run take a while. */
const STEPS = size(120, 1500);
const WAIT = String(size(60, 10));
const SHARD = ["--shard", "2/2", ...(full ? [] : ["--max-steps", String(STEPS)])];

const joined = (run: Running): number => (said(run).match(/ joined with /g) ?? []).length;

describe("a distributed run", () => {
  const ledger = ["--only", "ledger", "--max-steps", BUDGET];
  let alone: Promise<string> | undefined;
  /** The local run that both are compared with. */
  const local = (): Promise<string> => (alone ??= locally(LEDGER, ledger, { BUG: "1" }));

  it("comes to the digest of the local run, while workers are killed and added", { timeout: 600_000 }, async () => {
    // In the quick suite of what has no target: one with a target joins below. Slow enough that workers can be started before it is over.
    const env = full ? { BUG: "1" } : { WAIT_MS: WAIT };
    const directory = full ? LEDGER : countersIn(["counters"]);
    const args = full ? ledger : ["--max-steps", String(STEPS)];
    const { url } = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url, directory, env, args: [...args, "--output", output, "--verbose"] });
    const clones = full ? [checkout("ledger"), checkout("ledger")] : [];
    const add = (n: number): Running => {
      const cwd = clones[n % 2];
      return worker({ url, directory, env, ...(cwd !== undefined && { cwd }), args: full && n % 3 === 1 ? ["--parallel", "2"] : [] });
    };
    const workers = [0, 1, 2].slice(0, size(2, 3)).map(add);
    await until(() => joined(run) >= 2, "two workers", 120_000);
    let isOver = false;
    void run.ended.then(() => (isOver = true));
    let killed = 0;
    for (const last = 2 + size(1, 4); killed + 2 < last && !isOver; killed++) {
      const before = joined(run);
      workers.shift()!.child.kill("SIGKILL");
      workers.push(add(killed + 3));
      await until(() => isOver || joined(run) > before, "another worker", 120_000);
    }
    expect((await run.ended).status).toBe(full ? 1 : 0);
    expect(killed).toBeGreaterThanOrEqual(size(1, 2));
    expect(await endings(workers)).toEqual(workers.map(() => 0));
    expect(found(output)).toEqual(found(await (full ? local() : locally(directory, args, {}))));
  });

  it.runIf(full)("waits for a Redis that is killed and comes back empty, and finishes", { timeout: 600_000 }, async () => {
    const env = { ...SLOWLY, BUG: "1" };
    const server = await ownRedis();
    const { url } = server;
    const output = emptyFolder();
    const run = coordinator({ url, directory: LEDGER, env, args: [...ledger, "--output", output] });
    const workers = some([checkout("ledger"), undefined], 1).map((cwd) =>
      worker({ url, directory: LEDGER, env, ...(cwd !== undefined && { cwd }) }),
    );
    await until(() => joined(run) === workers.length, "workers", 120_000);
    for (const ms of some([2000, 200], 1)) {
      const before = stepsIn(output);
      await until(() => stepsIn(output) > before, "more steps", 60_000);
      await server.restart!(ms);
    }
    expect((await run.ended).status).toBe(1);
    expect(said(run)).toMatch(/Redis at redis:\S+ is not reachable\. seqqa waits until[^]*Redis at redis:\S+ is reachable again\./);
    expect(await endings(workers)).toEqual(workers.map(() => 0));
    expect(found(output)).toEqual(found(await local()));
  });
});

// What they do most is wait, so that they do it together.
describe("a distributed run without targets", () => {
  it.concurrent(
    "waits for workers and says how to start them; for several explorations one after another",
    { timeout: 300_000 },
    async () => {
      const env = { WAIT_MS: "10" };
      const directory = countersIn(["first", "second"]);
      const args = ["--max-steps", String(size(20, 100))];
      const local = locally(directory, args, {});
      const { url } = await ownRedis();
      const output = emptyFolder();
      const run = coordinator({ url, directory, env, args: [...args, "--output", output] });
      await until(() => said(run).includes("Waiting for workers. Start each worker"), "that it waits", 60_000);
      expect(said(run)).toContain(`seqqa worker --redis ${url}/0`);
      const workers = Array.from({ length: size(1, 2) }, () => worker({ url, directory, env }));
      expect((await run.ended).status).toBe(0);
      expect(await endings(workers)).toEqual(workers.map(() => 0));
      for (const name of ["first", "second"]) expect(workers.map(said).join("")).toContain(`Joined ${name} with 1 lane.`);
      expect(found(output)).toEqual(found(await local));
      expect(found(output)).toHaveLength(2);
    },
  );

  const sessions: readonly (readonly [string, readonly (readonly string[])[], readonly string[]])[] = [
    [
      "goes on with --resume",
      [
        ["--max-steps", String(STEPS / 2)],
        ["--resume", "--max-steps", String(STEPS)],
      ],
      ["--max-steps", String(STEPS)],
    ],
    ["explores a shard", [SHARD], SHARD],
  ];
  // In the quick suite "killed and resumed" goes on with --resume, and unit/contract and e2e/shards explore shards.
  it.runIf(full).concurrent.each(sessions)("%s, as a local run does", { timeout: 300_000 }, async (_what, each, args) => {
    const directory = countersIn(["counters"]);
    const local = locally(directory, args, {});
    const { url } = await ownRedis();
    const output = emptyFolder();
    for (const session of each) {
      const run = coordinator({ url, directory, args: [...session, "--output", output] });
      const one = await workerHere({ url, directory });
      expect([(await run.ended).status, one.status]).toEqual([0, 0]);
      expect(one.stdout + one.stderr).toMatch(/this worker finished [1-9]/);
    }
    expect(found(output)).toEqual(found(await local));
  });

  it.runIf(full).concurrent("killed and resumed, is found by the workers that still wait", { timeout: 300_000 }, async () => {
    const env = { WAIT_MS: WAIT };
    const directory = countersIn(["counters"]);
    const args = ["--max-steps", String(STEPS)];
    const local = locally(directory, args, {});
    const { url } = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url, directory, env, args: [...args, "--output", output] });
    const workers = some([[], ["--parallel", "2"]], 1).map((more) => worker({ url, directory, env, args: more }));
    await until(() => joined(run) === workers.length, "workers", 120_000);
    await until(() => stepsIn(output) > 0, "steps of the workers", 60_000);
    run.child.kill("SIGKILL");
    await run.ended;
    const before = stepsIn(output);
    expect(before).toBeLessThan(STEPS);
    const resumed = coordinator({ url, directory, env, args: [...args, "--resume", "--output", output] });
    expect((await resumed.ended).status).toBe(0);
    expect(await endings(workers)).toEqual(workers.map(() => 0));
    expect(joined(resumed)).toBe(workers.length);
    for (const one of workers) expect(said(one).match(/^Joined counters with /gm)).toHaveLength(2);
    expect(found(output)).toEqual(found(await local));
  });

  // In the quick suite test/stores/lane-pools/cluster has late answers: coordinator counts them once, chunk-queue gives what is missing to others.
  it.runIf(full).concurrent(
    "takes no harm from a worker that stood still and answers late what another one has answered",
    { timeout: 300_000 },
    async () => {
      const env = { WAIT_MS: WAIT };
      const directory = countersIn(["counters"]);
      const args = ["--max-steps", String(STEPS)];
      const local = locally(directory, args, {});
      const { url } = await ownRedis();
      const output = emptyFolder();
      const run = coordinator({ url, directory, env, args: [...args, "--output", output] });
      const workers = [worker({ url, directory, env }), worker({ url, directory, env })];
      await until(() => joined(run) === 2, "workers", 120_000);
      await until(() => stepsIn(output) > 0, "steps of the workers", 60_000);
      workers[0]!.child.kill("SIGSTOP");
      // By then its lock has run out, and its job has gone to the other one.
      await until(() => said(run).includes("has not answered for 6 s"), "silence", 60_000);
      workers[0]!.child.kill("SIGCONT");
      expect((await run.ended).status).toBe(0);
      expect(said(run)).toContain("answers again");
      expect(await endings(workers)).toEqual([0, 0]);
      expect(found(output)).toEqual(found(await local));
    },
  );

  it.concurrent(
    "interrupted, ends with what was found; its workers end with it, and nothing stays in Redis but what expires",
    { timeout: 300_000 },
    async () => {
      const env = { WAIT_MS: WAIT };
      const directory = countersIn(["counters"]);
      const { url } = await ownRedis();
      const output = emptyFolder();
      const run = coordinator({ url, directory, env, args: ["--output", output] });
      const workers = [worker({ url, directory, env }), worker({ url, directory, env, args: ["--parallel", String(size(1, 2))] })];
      await until(() => joined(run) === 2, "workers", 120_000);
      await until(() => stepsIn(output) > 0, "steps of the workers", 60_000);
      workers[1]!.child.kill("SIGINT");
      expect((await workers[1]!.ended).status).toBe(130);
      await until(() => / left \(now in the run: 1 worker, 1 lane\)/.test(said(run)), "that it left", 20_000);
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

  // In the quick suite test/stores/lane-pools/cluster/queue-link does not wait at the end.
  it.runIf(full).concurrent("interrupted while its Redis is away, a run ends with what was found", { timeout: 300_000 }, async () => {
    const env = { WAIT_MS: WAIT };
    const directory = countersIn(["counters"]);
    const server = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url: server.url, directory, env, args: ["--output", output] });
    const one = worker({ url: server.url, directory, env });
    await until(() => joined(run) === 1, "a worker", 120_000);
    await until(() => stepsIn(output) > 0, "steps of the worker", 60_000);
    await server.stop();
    run.child.kill("SIGINT");
    expect((await run.ended).status).toBe(130);
    expect(outcomeIn(output, ({ steps: made }) => ({ made }))).toMatchObject([{ stopReason: "interrupted" }]);
    one.child.kill("SIGINT");
    expect((await one.ended).status).toBe(130);
  });
});

describe("what goes wrong around it", () => {
  it("a Redis that takes no writes is said, with exit status 3", { timeout: 60_000 }, async () => {
    const { url } = await ownRedis();
    const client = new Redis(url);
    await client.config("SET", "maxmemory-policy", "noeviction");
    await client.config("SET", "maxmemory", "1kb");
    client.disconnect();
    const { status, stderr } = await seqqa(["run", LEDGER, "--distributed", url, "--output", emptyFolder()], {
      env: { SEQQA_SECRET: SECRET },
    });
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/Redis at redis:\S+ refused a command: OOM .*\nhint: /),
    });
  });
});

describe("refused by name", () => {
  it("a worker with another secret, other code, another configuration, another root or none of it", { timeout: 300_000 }, async () => {
    const { url } = await ownRedis();
    const output = emptyFolder();
    const run = coordinator({ url, directory: LEDGER, args: ["--only", "ledger", "--max-steps", "60", "--output", output] });
    await until(() => said(run).includes("Waiting for workers"), "the run", 60_000);
    const refused = async (why: RegExp, byRun: RegExp | undefined, more: Partial<Parameters<typeof workerHere>[0]>): Promise<void> => {
      const { status, stderr, stdout } = await workerHere({ url, directory: LEDGER, ...more });
      expect([status, stderr, stdout]).toEqual([2, expect.stringMatching(why), ""]);
      expect(stderr).toMatch(/^error: (?:The distributed run refused this worker: |This worker cannot join the run, because )/m);
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
    await Promise.all([
      refused(/this worker and the run have different values of SEQQA_SECRET/, /The run ignored a message that arrived over Redis/, {
        secret: "another one",
      }),
      refused(
        /the code of ledger\.explore\.ts is different on the worker \(hash [0-9a-f]{8}\) and in the run \(hash [0-9a-f]{8}\)/,
        /Worker \S+:\d+ was refused: the code of ledger\.explore\.ts is different/,
        { cwd: code },
      ),
      refused(
        /the worker's configuration differs from the run's in timeout/,
        /Worker \S+:\d+ was refused: the worker's configuration differs from the run's in timeout/,
        { cwd: config },
      ),
      refused(/the root state on the worker differs from the run's: .*strange/, /was refused: the root state on the worker differs/, {
        cwd: roots,
      }),
      ...(full ? [refused(/configuration differs from the run's in target\.env\.BUG/, undefined, { env: { BUG: "1" } })] : []),
      refused(/the file ledger\.explore\.ts does not exist in /, undefined, { directory: "fixtures/stock" }),
    ]);
    // None of them did anything, and one that fits is still taken.
    expect(said(run)).not.toContain("joined");
    expect((await workerHere({ url, directory: LEDGER, cwd: checkout("ledger") })).status).toBe(0);
    expect((await run.ended).status).toBe(0);
    for (const text of [said(run), ...textsIn(output)]) expect(text).not.toContain(SECRET);
  });

  it.runIf(full)("a job that was not made by the run: it is not executed", { timeout: 300_000 }, async () => {
    const { url } = await ownRedis();
    const folder = folderWith({ "counter.explore.ts": COUNTER, "seqqa.yaml": "exploration: { max_depth: 3 }\n" });
    linkPackages(folder, "seqqa");
    const log = join(emptyFolder(), "log");
    const env = { LOG: log };
    const output = emptyFolder();
    const client = new Redis(url, { maxRetriesPerRequest: null });
    atEnd(() => client.disconnect());
    /** A run, its worker, and a job of it as it is in Redis. */
    const begin = async (): Promise<{ run: Running; one: Promise<Ran>; queue: Queue; name: string; sealed: string }> => {
      const run = coordinator({ url, directory: folder, env, args: ["--output", output] });
      const one = workerHere({ url, directory: folder, env });
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
    expect([(await earlier.run.ended).status, (await earlier.one).status]).toEqual([0, 0]);
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
    expect([(await run.ended).status, said(run)]).toEqual([
      0,
      expect.stringContaining("The run ignored a message that arrived over Redis"),
    ]);
    const ended = await one;
    expect([ended.status, ended.stderr]).toEqual([
      0,
      expect.stringContaining("This worker refused a job from Redis, because the job is not signed with the SEQQA_SECRET of the run."),
    ]);
    const executed = readFileSync(log, "utf8").trim().split("\n");
    expect(executed.length).toBeGreaterThan(20);
    expect(executed.filter((line) => Number(line) > 3)).toEqual([]);
    await queue.close();
    expect(found(output)).toEqual(found(await locally(folder, [], { LOG: "/dev/null" })));
  });
});

describe("before anything is done", () => {
  const url = "redis://user:pass-word@127.0.0.1:1/0";
  const env = { SEQQA_SECRET: SECRET };

  it.each<readonly [string, readonly string[], Readonly<Record<string, string>>, number, string]>([
    ["a run without a secret", ["run", LEDGER, "--distributed", url], {}, 2, "--distributed needs the environment variable SEQQA_SECRET"],
    ["a run without Redis", ["run", LEDGER, "--distributed", url], env, 3, "Connection refused (redis://127.0.0.1:1/0)"],
    ["a worker without Redis", ["worker", LEDGER, "--redis", url], env, 3, "Connection refused (redis://127.0.0.1:1/0)"],
  ])("%s ends with one sentence and its exit status", async (_what, args, more, status, text) => {
    const ran = await seqqa(args, { env: more });
    expect([ran.status, ran.stderr, ran.stdout]).toEqual([status, expect.stringContaining(text), ""]);
    for (const secret of ["pass-word", SECRET]) expect(ran.stderr).not.toContain(secret);
    expect(ran.stderr.match(/^error: /gm)).toHaveLength(1);
  });
});

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
