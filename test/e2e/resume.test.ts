import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { Draws } from "../support/draws.ts";
import { emptyFolder, folderWith, linkPackages, seqqa, start, until, writtenIn, type Ran } from "../support/e2e.ts";
import { outcomeIn } from "../support/outcome.ts";
import { template } from "../support/store-templates.ts";
import { stepsIn, storedEdges, storeIn } from "../support/stored-edges.ts";

/** What must be the same, in however many sessions a run was carried out. */
const found = (output: string): unknown =>
  outcomeIn(output, ({ violations, errors }) => ({
    violations: violations.map(({ id, reproductionPath, confirmed, count, minimality }) => ({
      id,
      reproductionPath,
      confirmed,
      count,
      minimality,
    })),
    errors: errors.map(({ message, where, count }) => ({ message, where, count })),
  }));

const STORES = [
  { store: "sqlite", steps: size(60, 200_000), kills: size(1, 20), share: size(15, 9_000) },
  { store: "postgres", steps: 20_000, kills: 20, share: 900 },
] as const;

// In the quick suite e2e/store-losses sweeps what a killed run left on PostgreSQL.
describe.each(some(STORES, 1))(
  "a run that is killed with SIGKILL at random moments and goes on each time",
  ({ store, steps, kills, share }) => {
    it(`ends as one that was left alone: the ledger over HTTP and ${store}`, { timeout: size(300_000, 3_600_000) }, async () => {
      const budget = ["--max-steps", String(steps)];
      const [config, env] =
        store === "sqlite" ? [[], {}] : [["--config", "fixtures/ledger/store.yaml"], { STORE_URL: await template(store) }];
      const ledger = ["run", "fixtures/ledger", "--only", "ledger", ...config, "--output"];
      const long = { env, timeoutMs: 1_800_000 };
      const whole = emptyFolder();
      expect((await seqqa([...ledger, whole, ...budget, "--parallel", String(size(1, 2))], long)).status).toBe(0);
      if (full && store === "sqlite")
        expect(writtenIn(whole).explorations).toMatchObject([{ statesVisited: 14_425, stopReason: "exhausted" }]);
      const output = emptyFolder();
      const draws = new Draws(7);
      let kept = 0;
      for (let kill = 0; kill < kills; kill++) {
        const lanes = ["--parallel", String(1 + (kill % 3))];
        const { child, ended } = start([...ledger, output, ...(kill === 0 ? budget : ["--resume"]), ...lanes], long);
        // Now and then while it still folds back, or brings its lanes up; else somewhere in the middle.
        const wanted = kill % 4 === 2 ? kept : kept + 1 + draws.below(share);
        let over = false;
        void ended.then(() => (over = true));
        await until(() => over || stepsIn(output) >= wanted, `${wanted} steps`, 600_000);
        child.kill("SIGKILL");
        await ended;
        const now = stepsIn(output);
        expect(now).toBeGreaterThanOrEqual(kept);
        kept = now;
      }
      const last = await seqqa([...ledger, output, "--resume", ...(full ? [] : ["--parallel", "1"])], long);
      expect([last.status, last.stderr]).toEqual([0, expect.stringContaining("ledger continues after ")]);
      expect(found(output)).toEqual(found(whole));
      expect(readdirSync(join(output, "runs"))).toHaveLength(1);
    });
  },
);

/** Explorations of n bits, each flipped by an action of its own: 2^n states; the one with all of them breaks a rule, and flip_0 of state 6 throws. */
const bits = (name: string, count: number, more = ""): string => `
import { Action, Agent, Invariant, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";
const pause = Number(process.env["PAUSE"] ?? 0);
const flip = (bit: number) => new Action<object, MemoryAdapter<{ bits: number }>>({
  name: "flip_" + bit,
  run: async (api) => {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    if (bit === 0 && api.state.bits === 6) throw new Error("no flip of 6");
    api.state.bits ^= 1 << bit;
    return ApiResponse.of(200, { bits: api.state.bits });
  },
});
export const agent = new Agent<object, MemoryAdapter<{ bits: number }>>({
  name: ${JSON.stringify(name)},
  world: () => {
    const store = new MemoryAdapter({ state: { bits: 0 } });
    return new World<object, MemoryAdapter<{ bits: number }>>({ api: store, systems: { store } });
  },
  actions: Array.from({ length: ${count} }, (_, bit) => flip(bit))${more},
  invariants: [new Invariant<object, MemoryAdapter<{ bits: number }>>({ name: "not_all", check: (world) => world.api.state.bits !== ${2 ** count - 1} })],
});`;

/** A folder with explorations, and how to run it. */
function project(files: Readonly<Record<string, string>>) {
  const cwd = folderWith({ "qa/seqqa.yaml": "exploration: { max_steps: 100000 }\n", ...files });
  linkPackages(cwd, "seqqa");
  const output = join(cwd, "qa/reports");
  return {
    cwd,
    output,
    run: (...args: readonly string[]): Promise<Ran> => seqqa(["run", "qa", ...args], { cwd }),
    /** Kills it when so many steps of an exploration are stored. */
    killed: async (steps: number, exploration = 0, ...args: readonly string[]): Promise<void> => {
      const { child, ended } = start(["run", "qa", ...args], { cwd, env: { PAUSE: "2" } });
      await until(() => stepsIn(output, exploration) >= steps, `${steps} steps`, 60_000);
      child.kill("SIGKILL");
      expect((await ended).signal).toBe("SIGKILL");
    },
  };
}

describe("a run that goes on", () => {
  it(
    "takes over what was finished, goes on with what was not, and begins the rest; findings, errors and status are as ever",
    { timeout: 200_000 },
    async () => {
      const files = { "qa/a.explore.ts": bits("a", 4), "qa/b.explore.ts": bits("b", 6), "qa/c.explore.ts": bits("c", 3) };
      const alone = project(files);
      expect((await alone.run()).status).toBe(1);
      const { run, killed, output } = project(files);
      await killed(60, 1);
      const { status, stderr, stdout } = await run("--resume");
      expect(status).toBe(1);
      expect(stderr).toMatch(/The exploration a had already ended \(exhausted\) after \d+ steps\. seqqa keeps its result\./);
      expect(stderr).toMatch(/exploration b continues after \d+ steps and \d+ states of the earlier run\./);
      expect(stdout).toMatch(/not_all/);
      expect(found(output)).toEqual(found(alone.output));
      expect(JSON.stringify(found(output))).toContain("no flip of 6");
      // Once more: nothing is left to do, and nothing is sent.
      const again = await run("--resume");
      expect([again.status, again.stderr.match(/seqqa keeps its result\./g)?.length]).toEqual([1, 3]);
      expect(found(output)).toEqual(found(alone.output));
    },
  );

  it(
    "with a higher budget ends as a run that had it from the beginning; with a lower one it is refused",
    { timeout: 200_000 },
    async () => {
      for (const strategy of full ? ["bfs", "dfs", "random", "coverage_guided"] : ["bfs"]) {
        const alone = project({ "qa/a.explore.ts": bits("a", 6) });
        const { status } = await alone.run("--strategy", strategy, "--max-steps", "300");
        const { run, output } = project({ "qa/a.explore.ts": bits("a", 6) });
        await run("--strategy", strategy, "--max-steps", "50");
        expect(writtenIn(output).explorations).toMatchObject([{ steps: 50, stopReason: "max_steps" }]);
        // What was given before need not be given again.
        await run("--resume", "--max-steps", "150");
        expect((await run("--resume", "--max-steps", "300")).stderr).toContain("a continues after 150 steps");
        expect(found(output)).toEqual(found(alone.output));
        expect((await run("--resume", "--max-steps", "100")).stderr).toContain("a had already ended (max_steps) after 300 steps");
        // In the quick suite the next test refuses a lower budget, and goes on afterwards.
        if (!full || strategy !== "bfs") continue;
        const half = project({ "qa/a.explore.ts": bits("a", 6) });
        await half.killed(60);
        const lower = await half.run("--resume", "--max-steps", "20");
        expect([lower.status, lower.stderr]).toEqual([2, expect.stringMatching(/qa\/a\.explore\.ts has \d+ steps \(max_steps 20\)\./)]);
        // It lost nothing by that.
        expect((await half.run("--resume", "--max-steps", "300")).status).toBe(status);
        expect(found(half.output)).toEqual(found(alone.output));
      }
    },
  );

  it("is refused before anything is sent where it went beyond where it would end now", { timeout: 200_000 }, async () => {
    // Every world that is made leaves a line: without one, nothing was brought up. The exploration a is large enough to be in progress when it is killed.
    const file = `import { appendFileSync } from "node:fs";${bits("a", 7).replace("world: () => {", 'world: () => { appendFileSync("worlds", "+");')}`;
    const { run, killed, cwd, output } = project({ "qa/a.explore.ts": file, "qa/b.explore.ts": bits("b", 2) });
    await killed(30);
    const worlds = (): string => readFileSync(join(cwd, "worlds"), "latin1");
    const before = worlds();
    const kept = stepsIn(output);
    expect(before).not.toBe("");
    const refused = async (says: RegExp, ...args: readonly string[]): Promise<void> => {
      const { status, stderr, stdout } = await run("--resume", ...args);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^error: Run \S+ has already exceeded the limits of the configuration: qa\/a\.explore\.ts /);
      expect(stderr).toMatch(says);
      expect(stderr).not.toContain("continues after");
      expect([worlds(), stepsIn(output)]).toEqual([before, kept]);
    };
    await refused(/ has \d+ steps \(max_steps 10\)\.\nhint: Raise the limit to at least the value of the stored run/, "--max-steps", "10");
    await refused(/ has states at depth \d \(max_depth 1\)\./, "--max-depth", "1");
    // What is not to be run is not asked.
    expect((await run("--resume", "--only", "b", "--max-steps", "10")).stderr).not.toContain("is already beyond");
    expect(worlds()).toBe(before);
    // It lost nothing by that.
    expect((await run("--resume", "--max-steps", "100000")).status).toBe(1);
  });

  it("is refused before anything is started also where only its rows show that it cannot go on", { timeout: 200_000 }, async () => {
    // Every world that is made leaves a line: without one, nothing was brought up.
    const noted = (file: string): string =>
      `import { appendFileSync } from "node:fs";${file.replace("world: () => {", 'world: () => { appendFileSync("worlds", "+");')}`;
    const refusing = ({ run, cwd, output }: ReturnType<typeof project>) => {
      const worlds = (): string => readFileSync(join(cwd, "worlds"), "latin1");
      return async (says: RegExp, ...args: readonly string[]): Promise<void> => {
        const before = [worlds(), stepsIn(output)];
        const { status, stderr, stdout } = await run("--resume", ...args);
        expect([status, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
        expect(stderr).not.toContain("continues after");
        expect([worlds(), stepsIn(output)]).toEqual(before);
      };
    };
    // All states of five bits are met long before the deepest one is expanded.
    const deep = project({ "qa/a.explore.ts": noted(bits("a", 5).replace("!== 31", "!== 99")) });
    await deep.run("--max-steps", "158");
    expect(writtenIn(deep.output).explorations).toMatchObject([{ maxDepthReached: 5 }]);
    await refusing(deep)(
      /has already exceeded the limits of the configuration: qa\/a\.explore\.ts has steps from states at depth 5 \(max_depth 5\)\./,
      "--max-steps",
      "200",
      "--max-depth",
      "5",
    );

    const early = noted(bits("a", 5).replace("!== 31", "!== 3"));
    const whole = project({ "qa/a.explore.ts": early });
    await whole.run("--max-steps", "60");
    const db = new Database(storeIn(whole.output), { readonly: true });
    const second = storedEdges(db, 0).reduce<readonly number[]>(
      (steps, [, , , , found], at) => (found === 1 ? [...steps, at + 1] : steps),
      [],
    )[1]!;
    db.close();
    const ends = project({ "qa/a.explore.ts": early });
    await ends.run("--max-steps", String(second));
    expect(writtenIn(ends.output).explorations).toMatchObject([{ steps: second, violations: [{}, {}] }]);
    await refusing(ends)(/continued after violation \S+, but stop_on_first_violation is now true\./, "--max-steps", "80", "--bail");

    const damages: readonly (readonly [RegExp, string])[] = [
      [
        /a\.explore\.ts: The stored run does not belong to this exploration: the steps of the stored run give the digest /,
        "UPDATE explorations SET digest = '0123456789abcdef'",
      ],
      [
        /a\.explore\.ts: The stored run does not belong to this exploration: .* cut off/,
        "UPDATE commits SET records = substr(records, 1, length(records) - 4)",
      ],
      [
        /seqqa cannot read the run in \S+: a part of the stored steps is incomplete\./,
        "UPDATE commits SET records = substr(records, 1, length(records) - 3)",
      ],
      [
        /states 1 and 2 of the stored run have the same fingerprint/,
        "UPDATE nodes SET (lo, hi) = (SELECT lo, hi FROM nodes WHERE id = 1) WHERE id = 2",
      ],
      [/seqqa cannot read the run in \S+: the file is damaged: a stored value is not a JSON object\./, "DELETE FROM news"],
    ];
    const damaged = project({ "qa/a.explore.ts": early });
    await damaged.run("--max-steps", "60");
    const file = storeIn(damaged.output);
    const sound = readFileSync(file);
    for (const [says, damage] of damages) {
      writeFileSync(file, sound);
      const store = new Database(file);
      store.exec(damage);
      store.close();
      await refusing(damaged)(says, "--max-steps", "80");
    }
    // It was the damage.
    writeFileSync(file, sound);
    expect((await damaged.run("--resume", "--max-steps", "80")).stderr).toContain("a continues after 60 steps");
  });

  it("with --bail is refused where it went past an unknown violation, and not where it ends with it", { timeout: 200_000 }, async () => {
    const early = bits("a", 5).replace("!== 31", "!== 3");
    const { run, output } = project({ "qa/a.explore.ts": early });
    await run("--max-steps", "60");
    const { violations } = writtenIn(output).explorations[0]!;
    const { status, stderr, stdout } = await run("--resume", "--max-steps", "80", "--bail");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`qa/a.explore.ts continued after violation ${violations[0]!.id}, but stop_on_first_violation is now true.`);
    const other = project({ "qa/a.explore.ts": early });
    await other.run("--bail");
    const { steps, stopReason } = writtenIn(other.output).explorations[0]!;
    expect(stopReason).toBe("first_violation");
    const exact = project({ "qa/a.explore.ts": early });
    await exact.run("--max-steps", String(steps));
    await exact.run("--resume", "--bail", "--max-steps", "1000");
    expect(writtenIn(exact.output).explorations).toMatchObject([{ steps, stopReason: "first_violation" }]);
  });

  it(
    "with --bail goes on behind the exploration whose finding ended it; the status is that of the whole",
    { timeout: 100_000 },
    async () => {
      const files = {
        "qa/a.explore.ts": bits("a", 2),
        "qa/b.explore.ts": bits("b", 2),
        "qa/c.explore.ts": bits("c", 2).replace("!== 3", "!== 9"),
      };
      const { run, output } = project(files);
      const reasons = (): readonly unknown[] => writtenIn(output).explorations.map(({ name, stopReason }) => [name, stopReason]);
      expect((await run("--bail")).status).toBe(1);
      expect(reasons()).toEqual([["a", "first_violation"]]);
      const second = await run("--resume");
      expect([second.status, second.stderr]).toEqual([1, expect.stringContaining("a had already ended (first_violation)")]);
      expect(reasons()).toEqual([
        ["a", "first_violation"],
        ["b", "first_violation"],
      ]);
      expect((await run("--resume")).status).toBe(1);
      expect(reasons()).toEqual([
        ["a", "first_violation"],
        ["b", "first_violation"],
        ["c", "exhausted"],
      ]);
    },
  );

  it(
    "makes races in each exploration that has none, also in a session after the one that added --races",
    { timeout: 100_000 },
    async () => {
      const quiet = (name: string): string => bits(name, 2).replace("!== 3", "!== 9");
      const { run, output } = project({ "qa/a.explore.ts": quiet("a"), "qa/b.explore.ts": quiet("b") });
      const raced = (): readonly unknown[] => writtenIn(output).explorations.map(({ raceCoverage }) => (raceCoverage?.pairs ?? 0) > 0);
      await run();
      // The second session adds --races, and does not come to b.
      await run("--resume", "--races", "--only", "a");
      expect(raced()).toEqual([true, false]);
      const last = await run("--resume", "--only", "b");
      expect(last.stderr).toContain("b continues after ");
      expect(raced()).toEqual([true, true]);
      expect((await run("--resume")).stderr).toMatch(/b had already ended \(exhausted\)/);
    },
  );

  it("with --only keeps the unfinished explorations that it leaves out, and counts their findings", { timeout: 100_000 }, async () => {
    const { run, output } = project({
      "qa/a.explore.ts": bits("a", 5).replace("!== 31", "!== 3"),
      "qa/b.explore.ts": bits("b", 2).replace("!== 3", "!== 9"),
    });
    await run("--max-steps", "60");
    const leftOut = async (): Promise<void> => {
      const { status, stderr } = await run("--resume", "--only", "b", "--max-steps", "90");
      expect([status, stderr]).toEqual([1, expect.stringContaining("a does not continue, because --only leaves it out. ")]);
      expect(stderr).not.toContain("continues after");
      expect(writtenIn(output).explorations).toMatchObject([{ name: "a", steps: 60, violations: [{}, {}] }, { name: "b" }]);
    };
    await leftOut();
    // As if it had been killed.
    const db = new Database(storeIn(output));
    db.exec("UPDATE explorations SET outcome = 'running', document = replace(document, '\"max_steps\"', '\"interrupted\"') WHERE id = 0");
    db.exec("UPDATE run SET ended_at = NULL");
    db.close();
    await leftOut();
    expect((await run("--resume", "--only", "a")).stderr).toContain("a continues after 60 steps");
  });

  it("with --only keeps the failure of an exploration that it leaves out", { timeout: 100_000 }, async () => {
    const { run, output } = project({
      "qa/a.explore.ts": bits("a", 5).replace("!== 31", "!== 99"),
      "qa/b.explore.ts": bits("b", 2, ', setup: () => { throw new Error("no user"); }'),
    });
    const first = await run("--max-steps", "60");
    const { failures } = writtenIn(output);
    expect(failures).toMatchObject([{ file: "qa/b.explore.ts" }]);
    for (const steps of ["90", "120"]) {
      const { status, stderr } = await run("--resume", "--only", "a", "--max-steps", steps);
      expect([status, stderr]).toEqual([
        first.status,
        expect.stringContaining("qa/b.explore.ts had failed. --only leaves it out, so it still counts as failed."),
      ]);
      expect(writtenIn(output).failures).toEqual(failures);
    }
  });

  it("keeps --no-infra, --base-url, --only and --shard, and no password", { timeout: 100_000 }, async () => {
    const counter = (name: string): string => `import { Action, Agent } from "seqqa";
      export const agent = new Agent({ name: "${name}", invariants: [], actions: [1, 2, 3, 4].map((n) => new Action({
        name: "visit_" + n,
        run: async (api, context) => { context.set("at_" + n, 1); return api.get("/" + n); },
      })) });`;
    const { run, output } = project({
      "qa/seqqa.yaml": "target: { command: node none.mjs }\n",
      "qa/a.explore.ts": counter("a"),
      "qa/b.explore.ts": counter("b"),
    });
    const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
    try {
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const begun = await run("--no-infra", "--base-url", `http://127.0.0.1:${port}`, "--only", "a", "--shard", "1/2", "--max-steps", "20");
      expect(begun.status).toBe(0);
      const on = await run("--resume", "--max-steps", "60");
      expect([on.status, on.stderr]).toEqual([0, expect.stringContaining("a continues after 10 steps ")]);
      expect(writtenIn(output).explorations).toMatchObject([
        { name: "a", steps: 30, notes: expect.arrayContaining([expect.stringContaining("shard 1/2")]) },
      ]);
      // A password is kept nowhere, and asked for.
      const secret = ["--base-url", `http://me:geheim@127.0.0.1:${port}`];
      expect((await run("--no-infra", ...secret, "--only", "b", "--max-steps", "20")).status).toBe(0);
      const refused = await run("--resume", "--max-steps", "40");
      expect([refused.status, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toMatch(
        /^error: The --base-url of run \S+ contained a password\. seqqa does not store passwords\.\nhint: Give --base-url <url> again, with the password\.\n$/,
      );
      expect((await run("--resume", "--max-steps", "40", ...secret)).stderr).toContain("b continues after 20 steps");
      for (const name of readdirSync(join(output, "runs"))) expect(readFileSync(join(output, "runs", name)).includes("geheim")).toBe(false);
    } finally {
      server.close();
    }
  });

  it("keeps from which severity on findings fail it, unless that is given anew", { timeout: 100_000 }, async () => {
    const { run } = project({ "qa/a.explore.ts": bits("a", 3).replace("=== 6", "=== 8") });
    expect((await run("--max-steps", "5", "--fail-on-severity", "none")).status).toBe(0);
    const on = await run("--resume", "--max-steps", "1000");
    expect([on.status, on.stdout]).toEqual([0, expect.stringContaining("not_all")]);
    expect((await run("--resume", "--max-steps", "1000", "--fail-on-severity", "low")).status).toBe(1);
  });

  it("makes the checks of sampled states that its store does not have, and no other ones again", { timeout: 100_000 }, async () => {
    const { run, output } = project({ "qa/a.explore.ts": bits("a", 6) });
    await run("--max-steps", "200");
    const inStore = <T>(work: (db: Database.Database) => T): T => {
      const db = new Database(storeIn(output));
      try {
        return work(db);
      } finally {
        db.close();
      }
    };
    const checks = (): readonly unknown[] => inStore((db) => db.prepare("SELECT node, merge FROM checks ORDER BY node, merge").raw().all());
    const crossChecked = (): number => writtenIn(output).explorations[0]!.crossChecked!;
    const [all, steps] = [checks(), crossChecked()];
    // The first twenty states, and what is sampled of those that are met again.
    expect(all.length).toBeGreaterThanOrEqual(20);
    await run("--resume", "--max-steps", "201");
    expect([checks(), crossChecked()]).toEqual([all, steps]);
    // As if it had been killed before they were made.
    inStore((db) => db.exec("DELETE FROM checks WHERE node <= 10"));
    expect(checks().length).toBeLessThan(all.length);
    await run("--resume", "--max-steps", "202");
    expect(checks()).toEqual(all);
    expect(crossChecked()).toBeGreaterThan(steps);
  });

  it("goes deeper breadth first; the other strategies keep their bound", { timeout: 100_000 }, async () => {
    const files = { "qa/a.explore.ts": bits("a", 6) };
    const alone = project(files);
    await alone.run("--max-depth", "5");
    const { run, output } = project(files);
    await run("--max-depth", "2");
    expect(writtenIn(output).explorations).toMatchObject([{ stopReason: "max_depth", maxDepthReached: 2 }]);
    expect((await run("--resume", "--max-depth", "5")).status).toBe((await alone.run("--resume")).status);
    expect(found(output)).toEqual(found(alone.output));
    const other = project(files);
    await other.run("--max-depth", "2", "--strategy", "dfs");
    const { status, stderr } = await other.run("--resume", "--max-depth", "5");
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("exploration.max_depth of qa/a.explore.ts (2, now 5; it may only change with bfs)"),
    ]);
  });

  it.each(full ? ["dfs", "random"] : ["dfs"])(
    "with %s keeps the shorter paths that states of earlier sessions get",
    { timeout: 100_000 },
    async (strategy) => {
      const files = { "qa/a.explore.ts": bits("a", 7) };
      const [alone, again] = [project(files), project(files)];
      const given = ["--strategy", strategy, "--max-depth", "4"];
      await alone.run(...given);
      await again.run(...given, "--max-steps", "150");
      expect(await again.run("--resume", "--max-steps", "100000")).toMatchObject({
        stderr: expect.not.stringContaining("error:") as string,
      });
      expect(found(again.output)).toEqual(found(alone.output));
      const [nodes, others] = [again, alone].map(({ output }) => {
        const db = new Database(storeIn(output), { readonly: true });
        const all = db.prepare("SELECT id, parent, action, depth FROM nodes ORDER BY id").all();
        db.close();
        return all;
      });
      expect(nodes).toEqual(others);
    },
  );

  it(
    "is refused where configuration or code changed, by name, unless --force; other actions, strategies and seeds always",
    { timeout: 200_000 },
    async () => {
      const { run, cwd, output } = project({ "qa/a.explore.ts": bits("a", 5) });
      const write = (text: string): void => writeFileSync(join(cwd, "qa/a.explore.ts"), text);
      await run("--max-steps", "40");
      const before = readFileSync(storeIn(output));
      const refused = async (says: RegExp, ...args: readonly string[]): Promise<void> => {
        const { status, stderr, stdout } = await run("--resume", "--max-steps", "500", ...args);
        expect([status, stderr, stdout]).toEqual([2, expect.stringMatching(says), ""]);
        expect(readFileSync(storeIn(output)).equals(before)).toBe(true);
      };
      writeFileSync(join(cwd, "qa/seqqa.yaml"), "timeout: 7\nexploration: { max_steps: 100000 }\n");
      await refused(
        /cannot be resumed, because the following has changed since then: timeout \(30, now 7 by file .*seqqa\.yaml:1:10\)\..*--force/s,
      );
      writeFileSync(join(cwd, "qa/seqqa.yaml"), "exploration: { max_steps: 100000 }\n");
      write(bits("a", 5).replace("200, {", "201, {"));
      await refused(/because the following has changed since then: the code of qa\/a\.explore\.ts \([0-9a-f]{8}, now [0-9a-f]{8}\)\./);
      write(bits("a", 5, ".slice(1)"));
      await refused(/the actions of qa\/a\.explore\.ts \(flip_0 was removed\)/, "--force");
      write(bits("a", 5, ".reverse()"));
      await refused(/the actions of qa\/a\.explore\.ts \(their order\)/, "--force");
      write(bits("a", 5));
      await refused(/exploration\.strategy of qa\/a\.explore\.ts \(bfs, now dfs\)/, "--strategy", "dfs", "--force");
      await refused(/exploration\.seed of qa\/a\.explore\.ts \(0, now 3\)/, "--seed", "3", "--force");
      // A comment is no code.
      write(`${bits("a", 5)}\n// a comment`);
      const same = project({ "qa/a.explore.ts": bits("a", 5) });
      await same.run();
      expect((await run("--resume", "--max-steps", "100000")).status).toBe(1);
      expect(found(output)).toEqual(found(same.output));
      // With --force the rest comes out by the new code.
      const forced = project({ "qa/a.explore.ts": bits("a", 5) });
      await forced.run("--max-steps", "40");
      writeFileSync(join(forced.cwd, "qa/a.explore.ts"), bits("a", 5).replace("200, {", "201, {"));
      expect((await forced.run("--resume", "--max-steps", "100000", "--force")).status).toBe(1);
      const statuses = Object.values(writtenIn(forced.output).explorations[0]!.coverage.actions).map((one) => Object.keys(one.statuses));
      expect(new Set(statuses.flat())).toEqual(new Set(["0", "200", "201"]));
    },
  );

  it("is refused where a variable of the target has another value, by its name; no value is anywhere", { timeout: 100_000 }, async () => {
    const cwd = folderWith({
      "qa/seqqa.yaml": 'target: { command: node server.mjs, env: { PORT: "{port}", SERVICE_TOKEN: "${GIVEN}" } }\n',
      "qa/server.mjs": `import { createServer } from "node:http";
        createServer((request, response) => response.writeHead(process.env.SERVICE_TOKEN ? 200 : 401).end("{}")).listen(Number(process.env.PORT), "127.0.0.1");`,
      "qa/a.explore.ts": `import { Action, Agent } from "seqqa";
        export const agent = new Agent({ invariants: [], actions: [1, 2, 3].map((n) => new Action({
          name: "visit_" + n,
          run: async (api, context) => { context.set("at", n); return api.get("/" + n); },
        })) });`,
    });
    linkPackages(cwd, "seqqa");
    const run = (given: string, ...args: readonly string[]): Promise<Ran> => seqqa(["run", "qa", ...args], { cwd, env: { GIVEN: given } });
    const output = join(cwd, "qa/reports");
    expect((await run("geheim-a", "--max-steps", "3")).status).toBe(0);
    const before = readFileSync(storeIn(output));
    const refused = await run("geheim-b", "--resume", "--max-steps", "6");
    expect([refused.status, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(
      /cannot be resumed, because the following has changed since then: the value of target\.env\.SERVICE_TOKEN\.\s.*--force/s,
    );
    expect(readFileSync(storeIn(output)).equals(before)).toBe(true);
    for (const text of [refused.stderr, before.toString("latin1")]) expect(text).not.toContain("geheim");
    expect((await run("geheim-a", "--resume", "--max-steps", "6")).stderr).toContain("a continues after 3 steps");
    // From then on it is the new value.
    expect((await run("geheim-b", "--resume", "--max-steps", "9", "--force")).stderr).toContain("a continues after 6 steps");
    expect((await run("geheim-a", "--resume", "--max-steps", "12")).status).toBe(2);
    expect((await run("geheim-b", "--resume", "--max-steps", "12")).status).toBe(0);
    expect(readFileSync(storeIn(output)).includes("geheim")).toBe(false);
  });

  it(
    "is refused where the run does not exist, is one of journeys or of another folder, goes on, or is damaged",
    { timeout: 100_000 },
    async () => {
      const { run, cwd, output } = project({ "qa/a.explore.ts": bits("a", 6) });
      const says = async (text: string, ...args: readonly string[]): Promise<void> => {
        const { status, stderr } = await run(...args);
        expect([status, stderr]).toEqual([2, expect.stringContaining(text)]);
      };
      await says("No run is stored in ", "--resume");
      await says("--force can only be used together with --resume", "--force");
      await run("--max-steps", "30");
      await says("Run not found: 20200101-000000-000-0000", "--resume", "20200101-000000-000-0000");
      const [name] = readdirSync(join(output, "runs"));
      // A run that is being written is left alone.
      const { child, ended } = start(["run", "qa", "--resume", "--max-steps", "100000"], { cwd, env: { PAUSE: "100" } });
      await until(() => stepsIn(output) > 40, "40 steps", 60_000);
      await says("Another process is using the run in ", "--resume", "--max-steps", "100000");
      child.kill("SIGKILL");
      await ended;
      // The store of another exploration, under the name of this one.
      const other = project({ "qa/a.explore.ts": bits("a", 6), "qa/b.explore.ts": bits("b", 3) });
      await other.run("--max-steps", "10");
      copyFileSync(storeIn(other.output), join(output, "runs", name!));
      for (const suffix of ["-wal", "-shm"]) writeFileSync(join(output, "runs", `${name}${suffix}`), "");
      await says("the exploration file qa/b.explore.ts does not exist or is not in the directory to run", "--resume");
      const newer = new Database(join(output, "runs", name!));
      newer.pragma("user_version = 5");
      newer.close();
      await says("hint: A newer version of seqqa wrote the run. Use that version of seqqa", "--resume");
    },
  );
});
