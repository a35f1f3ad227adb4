import { describe, expect, it } from "vitest";
import { Action, Agent, Invariant, World, type AgentOptions } from "seqqa";
import { ApiResponse, HttpClient } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { Rule } from "../../../../src/model/declare/rule.ts";
import { noServerErrors, rejectedMeansUnchanged } from "../../../../src/rules/index.ts";
import { folderWith } from "../../../support/cli-harness.ts";

type Memory = MemoryAdapter<{ n: number }>;
type Keys = Record<string, unknown>;

const add = new Action<Keys, Memory>({
  name: "add",
  expectedStatus: [200],
  run: async ({ state }) => ((state.n += 1), ApiResponse.of(200)),
});
/** A client of a server that does not run. */
const nobody = new HttpClient("http://127.0.0.1:1");
const small = new Invariant<Keys, Memory>({ name: "n_is_small", check: ({ api }) => api.state.n < 9 });

const agent = (changes: Partial<AgentOptions<Keys, Memory>> = {}): Agent<Keys, Memory> =>
  new Agent<Keys, Memory>({
    name: "numbers",
    world: () => {
      const db = new MemoryAdapter({ state: { n: 0 } });
      return new World<Keys, Memory>({ api: db, systems: { db } });
    },
    actions: [add],
    invariants: [small],
    ...changes,
  });

const NO_RULE = (rule: string): object => ({
  code: "NO_SUCH_RULE",
  exitStatus: 3,
  message: `The exploration no longer checks the rule "${rule}", so the replay cannot show whether the finding still exists.`,
});

describe("a replay of a finding", () => {
  it.each(["n_is_small", "n_is_small_timeout", "add_timeout", "add_server_error", "add_status", "target_crashed", "invalid_http_answer"])(
    "checks the rule %s",
    async (rule) => {
      expect(await agent().replay(["add"], { rule })).toMatchObject({ completed: true, violations: [], errors: [] });
    },
  );

  it.each<readonly [string, string, Partial<AgentOptions<Keys, Memory>>]>([
    ["n_is_small", "was renamed", { invariants: [new Invariant<Keys, Memory>({ name: "n_is_below_9", check: () => true })] }],
    ["n_is_small", "was removed", { invariants: [] }],
    ["n_is_small_timeout", "was removed", { invariants: [] }],
    ["add_server_error", "was replaced by another one", { invariants: [noServerErrors() as never] }],
    [
      "add_status",
      "has no expected statuses",
      { actions: [new Action<Keys, Memory>({ name: "add", run: async () => ApiResponse.of(200) })] },
    ],
    ["b_server_error", "belongs to an action that was removed", {}],
  ])("fails if its rule %s %s", async (rule, _why, changes) => {
    await expect(agent(changes).replay(["add"], { rule })).rejects.toMatchObject(NO_RULE(rule));
  });

  it("fails if the configuration turned its rule off", async () => {
    const config = `${folderWith({ "seqqa.yaml": "exploration: { server_errors: ignore }" })}/seqqa.yaml`;
    await expect(agent().replay(["add"], { rule: "add_server_error", config })).rejects.toMatchObject(NO_RULE("add_server_error"));
    const race = { actions: ["add", "add"], verdict: "server_error" } as const;
    await expect(agent().replay([], { race, config })).rejects.toMatchObject({ code: "NO_SUCH_RULE" });
  });

  it("fails if its rule cannot be checked in this world", async () => {
    const invariants = [rejectedMeansUnchanged() as never];
    const world = (): World<Keys, Memory> => {
      const api = new MemoryAdapter({ state: { n: 0 } });
      return new World<Keys, Memory>({ api, systems: {}, reset: () => void (api.state.n = 0) });
    };
    const rule = "rejected_means_unchanged";
    const numbers = agent({ world, invariants, actions: [add] });
    await expect(numbers.replay(["add"], { rule })).rejects.toMatchObject(NO_RULE(rule));
    const race = { actions: ["add", "add"], verdict: "invariant", invariant: rule } as const;
    await expect(numbers.replay([], { race })).rejects.toMatchObject(NO_RULE(rule));
  });

  it("says if the rule is inconclusive after the last step, and fails only then", async () => {
    const rule = new Rule({ name: "repeats", judge: (_world, step) => step.inconclusive("the request has a file") });
    const replayed = agent({ invariants: [small, rule as never] });
    expect(await replayed.replay(["add"], { rule: "repeats" })).toMatchObject({
      violations: [],
      errors: [{ code: "RULE_INCONCLUSIVE", source: "repeats", message: "The rule could not be judged: the request has a file." }],
    });
    expect(await replayed.replay(["add"], { rule: "n_is_small" })).toMatchObject({ violations: [], errors: [] });
  });

  it("says that the rule was not checked if the last step got no answer", async () => {
    const silent = new Action<Keys, Memory>({ name: "silent", run: () => nobody.get("/") });
    const replayed = agent({
      actions: [silent],
      world: () => {
        const db = new MemoryAdapter({ state: { n: 0 } });
        return new World<Keys, Memory>({ api: db, clients: { nobody } as never, systems: { db } });
      },
    });
    expect(await replayed.replay(["silent"], { rule: "n_is_small" })).toMatchObject({
      completed: true,
      violations: [{ invariant: expect.any(String) }],
      errors: [{ code: "RULE_NOT_CHECKED", source: "n_is_small" }],
    });
  });

  it("fails if the rule of its race was removed", async () => {
    const race = { actions: ["add", "add"], verdict: "invariant", invariant: "gone" } as const;
    await expect(agent().replay([], { race })).rejects.toMatchObject(NO_RULE("gone"));
  });
});

describe("an unknown option", () => {
  it.each<readonly [string, (one: ReturnType<typeof agent>) => Promise<unknown>, string, string]>([
    ["explore()", (one) => one.explore({ paralel: 2 } as never), 'explore() has no option "paralel".', 'Did you mean "parallel"?'],
    [
      "explore()",
      (one) => one.explore({ maxSteps: 5 } as never),
      'explore() has no option "maxSteps".',
      "The options are parallel, module, ",
    ],
    ["replay()", (one) => one.replay([], { sede: 1 } as never), 'replay() has no option "sede".', 'Did you mean "seed"?'],
    [
      "race",
      (one) => one.replay([], { race: { actions: [], trails: 1 } } as never),
      'The option race of replay() has no option "trails".',
      'Did you mean "trials"?',
    ],
    [
      "race.schedule",
      (one) => one.replay([], { race: { actions: [], schedule: { sytem: "db" } } } as never),
      'The option race.schedule of replay() has no option "sytem".',
      'Did you mean "system"?',
    ],
  ])("of %s is refused by name", async (_what, call, message, hint) => {
    await expect(call(agent())).rejects.toMatchObject({ code: "USAGE", exitStatus: 2, message, hint: expect.stringContaining(hint) });
  });
});
