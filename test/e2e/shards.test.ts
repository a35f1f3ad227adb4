import { copyFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { explore, stock as stockModel } from "../models/index.ts";
import { full, size, some } from "../sizes.ts";
import { emptyFolder, folderWith, seqqa, start, until, writtenIn } from "../support/e2e.ts";
import { outcomeIn } from "../support/outcome.ts";

/** What must be the same, in however many shards a run was carried out; a shard proves no path to be the shortest of all. */
const found = (output: string): unknown =>
  outcomeIn(output, ({ violations }) => ({
    violations: violations.map(({ id, reproductionPath, confirmed, count, state }) => ({
      id,
      reproductionPath,
      confirmed,
      count,
      state,
    })),
  }));

/** The stock in memory; at full size over HTTP. */
const ONLY = full ? "stock" : "memory";
const ITEMS = size(4, 7);
const SHARDS = size(2, 4);
const long = { timeoutMs: 1_800_000 };

function stock(output: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return seqqa(["run", "fixtures/stock", "--only", ONLY, "--max-steps", "10000000", "--output", output, ...args], {
    ...long,
    env: { N: String(ITEMS), ...env },
  });
}

describe("shards", () => {
  const kinds: readonly (readonly [which: string, env: Readonly<Record<string, string>>])[] = [
    ["one with a defect", { BUG: "1" }],
    ["a clean stock", {}],
  ];
  it.each(some(kinds, 1))(
    "of %s are together the exploration that nobody shared out",
    { timeout: size(200_000, 3_600_000) },
    async (_which, env) => {
      const whole = emptyFolder();
      const status = "BUG" in env ? 1 : 0;
      expect((await stock(whole, env)).status).toBe(status);
      const { states } = explore(stockModel(ITEMS, status === 1));
      if (status === 0 && full) expect(states).toBe(45_320);
      expect(writtenIn(whole).explorations).toMatchObject([{ statesVisited: states, stopReason: "exhausted", open: 0 }]);
      const shards: string[] = [];
      for (let shard = 1; shard <= SHARDS; shard++) {
        const output = emptyFolder();
        // One of them in two goes.
        if (shard === 2) await stock(output, env, "--shard", `2/${SHARDS}`, "--max-steps", "2000");
        const ran = await stock(output, env, "--shard", `${shard}/${SHARDS}`, ...(shard === 2 ? ["--resume"] : []));
        expect([ran.status, ran.stdout]).toEqual([
          status,
          expect.stringMatching(/This is shard \d\/\d: of the \d+ states at depth \d+, this shard explored \d+/),
        ]);
        const [exploration] = writtenIn(output).explorations;
        expect(exploration!.open).toBeGreaterThan(0);
        expect(exploration!.transitions).toBeLessThan(writtenIn(whole).explorations[0]!.transitions);
        shards.push(output);
      }
      const output = emptyFolder();
      const merged = await seqqa(["merge", ...shards, "--output", output], long);
      expect([merged.status, merged.stdout]).toEqual([status, expect.stringContaining(": exhaustive")]);
      expect(found(output)).toEqual(found(whole));
      expect(merged.stdout).toMatch(
        /Merged from \d shards, which executed [\d,]+ steps for the [\d,]+ steps of the merged result \(\d\.\d\d times as many\): [\d,]+ of [\d,]+ states were reached by more than one shard\./,
      );
      const document = JSON.stringify(writtenIn(output).explorations[0]);
      expect(document).not.toContain("This is shard");
      expect(readdirSync(output).toSorted()).toEqual(["report.html", "results.json", "runs"]);
      // The store of a merged run is one like any other.
      const again = await seqqa(["report", "--format", "json", "--output", "-", "--config", configFor(output)]);
      expect(again.stdout).toBe(readFileSync(join(output, "results.json"), "utf8"));
    },
  );
});

/** Three tickets that can be closed, with a rule whose action is always refused, one that cannot judge, and one that holds. */
const RULES = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { Rule, singleUse } from "seqqa/rules";
const state = { closed: [] };
const store = new MemoryAdapter({ state });
const answer = async (request) => {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith("/close/")) return new Response(null, { status: pathname === "/use" ? 404 : 201 });
  store.state.closed.push(pathname.slice(7));
  return new Response(null, { status: 201 });
};
const act = (name, path) => new Action({ name, run: async (api) => api.post(path), mayNeverSucceed: true, changesNothing: true });
const [create, use] = [act("create", "/create"), act("use", "/use")];
export const agent = new Agent({
  world: () => new World({ api: new HttpClient(answer), systems: { store } }),
  actions: [create, use, ...["a", "b", "c"].map((name) => act("close_" + name, "/close/" + name))],
  maxDepth: 3,
  invariants: [
    singleUse({ create, use }),
    new Rule({ name: "cannot_judge", judge: (world, step) => step.inconclusive("it has no eyes") }),
    new Rule({ name: "cannot_judge_close", when: ({ name }) => name.startsWith("close_"), judge: (world, step) => step.inconclusive("it is dark") }),
    new Rule({ name: "holds", judge: () => true }),
  ],
});
`;

it("of a target whose state no store shows end at the depth limit of the undivided run", async () => {
  const cwd = folderWith({
    "seqqa.yaml": `target: { module: ./app.mjs }\n`,
    "app.mjs": `export const createTarget = () => () => new Response("{}", { status: 201 });`,
    "blind.explore.mjs": `import { Action, Agent } from "seqqa";
const actions = ["a", "b"].map((name) => new Action({ name, run: (api) => api.post("/" + name) }));
export const agent = new Agent({ actions, invariants: [] });
`,
  });
  const [whole, output, ...shards] = [emptyFolder(), emptyFolder(), emptyFolder(), emptyFolder()];
  await seqqa(["run", ".", "--output", whole!], { cwd });
  for (const [index, shard] of shards.entries()) await seqqa(["run", ".", "--shard", `${index + 1}/2`, "--output", shard], { cwd });
  const merged = await seqqa(["merge", ...shards, "--output", output!], { cwd });
  const outcome = (at: string): object => {
    const [{ stopReason, maxDepthReached, digest }] = writtenIn(at).explorations as unknown as [Record<string, unknown>];
    return { stopReason, maxDepthReached, digest };
  };
  expect(outcome(output!), merged.stdout + merged.stderr).toEqual(outcome(whole!));
  expect(outcome(output!)).toMatchObject({ stopReason: "max_depth" });
});

it("rules that judged nothing in any shard are named in the merged result, as in an undivided run", { timeout: 100_000 }, async () => {
  const cwd = folderWith({ "rules.explore.mjs": RULES });
  const ran = async (...args: readonly string[]): Promise<string> => {
    const output = emptyFolder();
    await seqqa(["run", ".", "--output", output, ...args], { cwd });
    return output;
  };
  const rules = (output: string): object => {
    const [{ unjudgedRules, notes, unverified }] = writtenIn(output).explorations as unknown as [
      Readonly<Record<"unjudgedRules" | "notes" | "unverified", readonly string[]>>,
    ];
    return { rules: unjudgedRules.toSorted(), notes: notes.filter((note) => note.includes("judged nothing")), unverified };
  };
  const shards = [await ran("--shard", "1/2"), await ran("--shard", "2/2")];
  const output = emptyFolder();
  const merged = await seqqa(["merge", ...shards, "--output", output], { cwd });
  expect(rules(output)).toEqual(rules(await ran()));
  expect(rules(output)).toMatchObject({
    rules: ["cannot_judge", "cannot_judge_close", "single_use_use"],
    notes: [expect.stringContaining("use was answered 404")],
    unverified: [
      expect.stringMatching(/^The rule cannot_judge could not be checked in any of the \d+ steps in which an action worked/),
      expect.stringMatching(
        /^The rule cannot_judge_close could not be checked in any of the \d+ steps in which close_a, close_b,? or close_c worked/,
      ),
    ],
  });
  expect(merged.stdout).not.toContain("✓ single_use_use");
});

it("a file that failed in the shards fails the merged run, which names it once", { timeout: 100_000 }, async () => {
  const cwd = folderWith({ "rules.explore.mjs": RULES, "broken.explore.mjs": "throw new Error('no database');" });
  const shards = [emptyFolder(), emptyFolder()];
  for (const [index, output] of shards.entries())
    expect((await seqqa(["run", ".", "--shard", `${index + 1}/2`, "--output", output], { cwd })).status).toBe(2);
  const output = emptyFolder();
  const { status, stdout, stderr } = await seqqa(["merge", ...shards, "--output", output], { cwd });
  expect([status, stdout]).toEqual([2, expect.stringContaining("1 failure without a result")]);
  expect(stderr.match(/no database/g)).toHaveLength(1);
  expect(writtenIn(output)).toMatchObject({
    explorations: [{ file: "rules.explore.mjs" }],
    failures: [{ file: "broken.explore.mjs", message: expect.stringContaining("no database") as string }],
  });
});

/** A configuration whose reports are there. */
const configFor = (output: string): string =>
  join(folderWith({ "seqqa.yaml": `report: { output_dir: ${JSON.stringify(output)} }\n` }), "seqqa.yaml");

describe("merge refuses", () => {
  it("stores that are not all the shards of one run, once each, by name", { timeout: 200_000 }, async () => {
    const shard = async (name: string, ...args: readonly string[]): Promise<string> => {
      const output = emptyFolder();
      await seqqa(["run", "fixtures/stock", "--only", "memory", "--output", output, ...(name === "" ? [] : ["--shard", name]), ...args], {
        env: { N: "3" },
      });
      return output;
    };
    const [one, two, other, whole, seed] = await Promise.all([
      shard("1/2"),
      shard("2/2"),
      shard("2/3"),
      shard(""),
      shard("2/2", "--seed", "4"),
    ]);
    const refused = async (says: string, ...stores: readonly string[]): Promise<void> => {
      const output = emptyFolder();
      const { status, stderr, stdout } = await seqqa(["merge", ...stores, "--output", output]);
      expect([status, stderr, stdout]).toEqual([2, expect.stringContaining(says), ""]);
      expect(readdirSync(output)).toEqual([]);
    };
    await refused("shard 2/2 of fixtures/stock/memory.explore.ts is missing", one);
    await refused("are both shard 1/2 of fixtures/stock/memory.explore.ts", one, one);
    await refused("is shard 2/3 of fixtures/stock/memory.explore.ts, but other runs divide it into 2 shards", one, other);
    await refused("is not a shard of fixtures/stock/memory.explore.ts", whole);
    await refused("exploration.seed of fixtures/stock/memory.explore.ts differs", one, seed);
    await refused("No run is stored at", one, join(one, "nowhere"));
    await refused("No run is stored in", one, emptyFolder());
    // A shard that was interrupted or killed is to go on first.
    for (const [signal, status] of some(
      [
        ["SIGINT", 130],
        ["SIGKILL", null],
      ] as const,
      1,
    )) {
      const cut = emptyFolder();
      const { child, ended } = start(["run", "fixtures/stock", "--only", "stock", "--output", cut, "--shard", "2/2"], {
        env: { N: "3", WAIT_MS: "20" },
      });
      await until(() => readdirSync(cut).includes("runs") && stored(cut) > 0, "commits", 60_000);
      child.kill(signal);
      expect((await ended).status).toBe(status);
      await refused("did not finish", cut, cut);
    }
    expect((await seqqa(["merge", one, two, "--output", emptyFolder()])).status).toBe(0);
    // A damaged store is named, whatever is wrong in it.
    const damaged = emptyFolder();
    cpSync(two, damaged, { recursive: true });
    for (const [says, damage] of [
      [
        "The stored run does not belong to this exploration: the steps of the stored run give the digest ",
        "UPDATE explorations SET digest = '0'",
      ],
      ["a part of the stored steps is incomplete", "UPDATE commits SET records = substr(records, 1, length(records) - 3)"],
      ["explorations[0].", "UPDATE explorations SET document = '{}'"],
    ] as const) {
      const [name] = readdirSync(join(damaged, "runs"));
      const file = join(damaged, "runs", name!);
      copyFileSync(join(two, "runs", name!), file);
      const db = new Database(file);
      db.exec(damage);
      db.close();
      await refused(says, one, damaged);
      await refused(file, one, damaged);
    }
  });

  const early: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>, string])[] = [
    ["max_steps", ["--max-steps", "400"], {}, "resume this shard with --resume and a higher --max-steps"],
    ["first_violation", ["--bail"], { BUG: "1" }, "run this shard again without --bail (stop_on_first_violation)"],
  ];
  it.each(some(early, 1))(
    "nothing of a shard that ended early (%s), says what helps, and does not go on itself",
    { timeout: 100_000 },
    async (reason, by, bug, what) => {
      const env = { N: "4", ...bug };
      const shards = [emptyFolder(), emptyFolder()];
      for (const [index, output] of shards.entries()) {
        const early = index === 1 ? by : [];
        await seqqa(["run", "fixtures/stock", "--only", "memory", "--output", output, "--shard", `${index + 1}/2`, ...early], { env });
      }
      const output = emptyFolder();
      const { stdout } = await seqqa(["merge", ...shards, "--output", output]);
      expect(stdout).toContain(
        `note: Shard 2/2 stopped early (${reason}), so some of its states are not explored. To explore them, ${what}, and merge again.`,
      );
      expect(writtenIn(output).explorations).toMatchObject([{ stopReason: reason }]);
      const { status, stderr } = await seqqa(["run", "fixtures/stock", "--only", "memory", "--output", output, "--resume"], { env });
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^error: Run \S+ cannot be resumed, because seqqa merge made it from shards\.\nhint: Resume the run of each shard/,
        ),
      ]);
    },
  );

  it("what cannot be shared out, before anything is sent", { timeout: 100_000 }, async () => {
    const refused = async (says: string, ...args: readonly string[]): Promise<void> => {
      const { status, stderr } = await seqqa(["run", "fixtures/stock", "--only", "memory", "--output", emptyFolder(), ...args]);
      expect([status, stderr]).toEqual([2, expect.stringContaining(says)]);
    };
    await refused("memory uses the strategy dfs, but shards divide states by depth", "--shard", "1/2", "--strategy", "dfs");
    for (const wrong of ["0/2", "3/2", "1", "a/b", "1/0", "1/2/3"]) await refused("Invalid", "--shard", wrong);
  });
});

function stored(output: string): number {
  try {
    const [name] = readdirSync(join(output, "runs")).filter((one) => one.endsWith(".db"));
    const db = new Database(join(output, "runs", name ?? "none"), { readonly: true, timeout: 5000 });
    const count = db.prepare("SELECT count(*) FROM commits").pluck().get() as number;
    db.close();
    return count;
  } catch {
    return 0;
  }
}
