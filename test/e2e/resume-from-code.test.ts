import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { size, some } from "../sizes.ts";
import { answering, type Answering } from "../support/answering.ts";
import { folderWith, linkPackages, seqqa, startNode, until, type Running } from "../support/e2e.ts";

/** Six bits, each flipped by an action of its own: 64 states; the last one breaks a rule and goes no further: 378 steps. */
const AGENT = `import { Action, Agent, Invariant, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { appendFileSync } from "node:fs";
const pause = Number(process.env.PAUSE ?? 0);
export const agent = new Agent({
  name: "bits",
  world: () => {
    const store = new MemoryAdapter({ state: { bits: 0 } });
    return new World({ api: store, systems: { store } });
  },
  actions: Array.from({ length: 6 }, (_, bit) => new Action({
    name: "flip_" + bit,
    run: async (api) => {
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      appendFileSync("flips", ".");
      api.state.bits ^= 1 << bit;
      return ApiResponse.of(200, { bits: api.state.bits });
    },
  })),
  invariants: [new Invariant({ name: "not_all", check: (world) => world.api.state.bits !== 63 })],
});
`;

/** Explores as it is asked, with the code that the file has by then, and says what came of it. */
const ANSWER = `const url = new URL("./bits.explore.mjs", import.meta.url).href;
let asked = 0;
async function answer({ module = true, ...options }) {
  const { agent } = await import(url + "?" + asked++);
  try {
    const { digest, statesVisited, transitions, stopReason, violations, errors } = await agent.explore({ ...options, ...(module && { module: url }) });
    const found = violations.map(({ id, reproductionPath, confirmed, count }) => ({ id, path: reproductionPath.length, confirmed, count }));
    return { digest, statesVisited, transitions, stopReason, found, errors };
  } catch ({ code, exitStatus, message, hint }) {
    return { code, exitStatus, message, hint };
  }
}
`;

/** The same in a process of its own, asked by its argument. */
const MAIN = `${ANSWER}console.log(JSON.stringify(await answer(JSON.parse(process.argv[2]))));`;

function project(more: Readonly<Record<string, string>> = {}) {
  const cwd = folderWith({ "package.json": '{ "type": "module" }', "bits.explore.mjs": AGENT, "main.mjs": MAIN, ...more });
  linkPackages(cwd, "seqqa");
  const begin = (options: object, env: Readonly<Record<string, string>> = {}): Running =>
    startNode(["main.mjs", JSON.stringify(options)], { cwd, env });
  let program: Answering | undefined;
  return {
    cwd,
    begin,
    /** In one process, for all that a test explores to its end. */
    explore: async (options: object): Promise<Record<string, unknown>> => {
      const { ask, running } = (program ??= answering(ANSWER, cwd));
      const said = (await ask(options)) as Record<string, unknown>;
      // What it wrote before it answered is heard of in the next turn at the latest.
      await new Promise((resolve) => setImmediate(resolve));
      expect(running.said.stderr).toBe("");
      return said;
    },
    /** Executed actions so far, of all sessions. */
    flips: (): number =>
      readdirSync(cwd)
        .filter((name) => name === "flips")
        .map((name) => readFileSync(join(cwd, name)).length)[0] ?? 0,
    runs: (): readonly string[] => readdirSync(join(cwd, "reports/runs")).filter((name) => name.endsWith(".db")),
  };
}

/** An exploration that was left alone, made once for those who compare with it. */
let alone: Promise<Record<string, unknown>> | undefined;
const leftAlone = (): Promise<Record<string, unknown>> => (alone ??= project().explore({}));

describe("explore({ resume })", () => {
  it("goes on where it was killed, to the result of an exploration that was left alone", { timeout: 200_000 }, async () => {
    const whole = await leftAlone();
    expect(whole).toMatchObject({ statesVisited: 64, stopReason: "exhausted", errors: [] });
    expect(whole["found"]).toHaveLength(6);
    const { begin, explore, flips, runs } = project();
    for (const parallel of some([2, 1], 1)) {
      const before = flips();
      const { child, ended } = begin({ resume: true, parallel }, { PAUSE: "15" });
      await until(() => flips() >= before + 60, "60 more steps", 60_000);
      child.kill("SIGKILL");
      expect((await ended).signal).toBe("SIGKILL");
    }
    expect(await explore({ resume: true })).toEqual(whole);
    expect(runs()).toHaveLength(1);
    // Once more: nothing is explored anew, though the finding is confirmed again.
    const before = flips();
    expect(await explore({ resume: true, parallel: size(1, 2) })).toEqual(whole);
    expect(flips() - before).toBeLessThan(100);
    expect(runs()).toHaveLength(1);
  });

  it("and the command line go on with each other's runs", { timeout: 200_000 }, async () => {
    const whole = await leftAlone();
    const { cwd, explore, runs } = project();
    expect((await seqqa(["run", ".", "--max-steps", "100"], { cwd })).status).toBe(0);
    const [id] = runs().map((name) => name.replace(/\.db$/, ""));
    expect(await explore({ resume: id })).toEqual(whole);
    const ran = await seqqa(["run", ".", "--resume"], { cwd });
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining("bits had already ended (exhausted) after 378 steps")]);
    expect(runs()).toHaveLength(1);
  });

  it(
    "is refused, by name, where code or configuration changed, unless force; and where there is nothing to go on with",
    { timeout: 200_000 },
    async () => {
      const { cwd, explore, runs } = project({ "seqqa.yaml": "exploration: { max_steps: 100 }\n" });
      const options = { resume: true, config: "seqqa.yaml" };
      expect(await explore(options)).toMatchObject({ stopReason: "max_steps", transitions: 100 });
      const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
      write("seqqa.yaml", "exploration: { max_steps: 1000 }\ntimeout: 7\n");
      write("bits.explore.mjs", AGENT.replace("of(200", "of(201"));
      const refused = await explore(options);
      expect(refused).toMatchObject({ code: "RESUME_CHANGED", exitStatus: 2, hint: expect.stringContaining("force: true") as string });
      expect(refused["message"]).toMatch(
        /because the following has changed since then: timeout \(30, now 7 by file .*\); the code of bits\.explore\.mjs \([0-9a-f]{8}, now [0-9a-f]{8}\)\.$/,
      );
      write("bits.explore.mjs", AGENT.replace("length: 6", "length: 5"));
      expect((await explore({ ...options, force: true }))["message"]).toContain("the actions of bits.explore.mjs (flip_5 was removed)");
      write("bits.explore.mjs", AGENT.replace("of(200", "of(201"));
      expect(await explore({ ...options, force: true })).toMatchObject({ statesVisited: 64, stopReason: "exhausted" });
      expect(runs()).toHaveLength(1);
      expect(await explore({ resume: "20200101-000000-000-0000" })).toMatchObject({ code: "NO_SUCH_RUN", exitStatus: 2 });
      expect(await explore({ resume: true, module: false })).toMatchObject({ code: "RESUME_NEEDS_MODULE", exitStatus: 2 });
    },
  );

  it("passes over runs that are not of this exploration alone, and says so of one that was named", { timeout: 200_000 }, async () => {
    const { cwd, explore, runs } = project({ "other.explore.mjs": AGENT.replace('"bits"', '"other"') });
    await seqqa(["run", ".", "--max-steps", "20"], { cwd });
    const [id] = runs().map((name) => name.replace(/\.db$/, ""));
    expect(await explore({ resume: id })).toMatchObject({
      code: "RESUME_OTHER",
      exitStatus: 2,
      message: `Run ${id} explored other.explore.mjs, but explore() can only resume a run that explored bits.explore.mjs.`,
    });
    expect(await explore({ resume: true })).toMatchObject({ stopReason: "exhausted" });
    expect(runs()).toHaveLength(2);
  });

  it("keeps what there is of an exploration that ended without a result", { timeout: 100_000 }, async () => {
    const { explore, runs } = project({ "seqqa.yaml": "target: { command: exit 1, ready_timeout: 5 }\n" });
    const failed = await explore({ resume: true, config: "seqqa.yaml" });
    expect(failed).toMatchObject({ exitStatus: 3 });
    expect(runs()).toHaveLength(1);
    // There is nothing in it to go on with.
    expect(await explore({ resume: true })).toMatchObject({ stopReason: "exhausted" });
    expect(runs()).toHaveLength(2);
  });
});
