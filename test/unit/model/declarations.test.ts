import { describe, expect, it } from "vitest";
import { Action, Agent, BFS, CoverageGuided, DFS, Invariant, Journey, Random, SeqqaError, Severity, StateGraph, Step, World } from "seqqa";
import { isExpected } from "../../../src/model/declare/action.ts";
import { Rule } from "../../../src/model/declare/rule.ts";
import { isAtLeast } from "../../../src/model/declare/severity.ts";

const run = (): Promise<null> => Promise.resolve(null);
const check = (): boolean => true;
const action = (name: string): Action => new Action({ name, run });
const graph = (): StateGraph => new StateGraph({ name: "g" }).addNode("a", { initial: true });
const invariant = (name: string): Invariant => new Invariant({ name, check });

/** A SeqqaError with this code, for mistakes in what the user declares: exit status 2, one sentence. */
function refusal(make: () => unknown): SeqqaError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(SeqqaError);
    expect((error as SeqqaError).exitStatus).toBe(2);
    expect((error as SeqqaError).message).toMatch(/\.$/);
    return error as SeqqaError;
  }
  return expect.unreachable();
}

describe("Action", () => {
  it("keeps what it was given, with defaults", () => {
    const plain = action("a");
    expect(plain).toMatchObject({
      name: "a",
      precondition: undefined,
      expectedStatus: undefined,
      as: undefined,
      description: undefined,
      tags: [],
    });
    const full = new Action({
      name: "a",
      run,
      expectedStatus: "2xx",
      as: "admin",
      description: "d",
      tags: ["t"],
      precondition: () => true,
    });
    expect(full).toMatchObject({ expectedStatus: ["2xx"], as: "admin", description: "d", tags: ["t"] });
    expect(new Action({ name: "a", run, expectedStatus: [200, "4xx"] }).expectedStatus).toEqual([200, "4xx"]);
  });

  it.each([
    ["an empty name", { name: "", run }],
    ["a blank name", { name: "  ", run }],
    ["no name", { run }],
    ["no run", { name: "create_order" }],
    ["no expected status", { name: "create_order", run, expectedStatus: [] }],
    ["an expected status that is none", { name: "create_order", run, expectedStatus: [200, "ok"] }],
    ["an expected status beyond all classes", { name: "create_order", run, expectedStatus: 999 }],
    ["a precondition that is no function", { name: "create_order", run, precondition: true }],
    [
      "a precondition that expects the client, too",
      { name: "create_order", run, precondition: (_api: unknown, _context: unknown) => true },
    ],
  ])("%s is refused", (_what, options) => {
    const error = refusal(() => new Action(options as never));
    expect(error.code).toBe("ACTION_INVALID");
    if ("name" in options && options.name.trim() !== "") expect(error.message).toContain("create_order");
  });

  it("expectedStatus: numbers and classes", () => {
    expect(isExpected(201, ["2xx"])).toBe(true);
    expect(isExpected(301, ["2xx"])).toBe(false);
    expect(isExpected(404, [200, 404])).toBe(true);
    expect(isExpected(200, [])).toBe(false);
    expect(isExpected(599, ["5xx"])).toBe(true);
  });
});

it("a setup that expects the client and the context, as an action does, is refused", () => {
  const setup = (_api: unknown, _context: unknown): void => undefined;
  expect(refusal(() => new Agent({ actions: [action("a")], invariants: [], setup } as never))).toMatchObject({
    message: "The Agent's setup has 2 parameters, but seqqa passes only one argument, the World.",
    hint: "Write setup: async ({ api, context }) => { ... }.",
  });
});

describe("an option that there is not is refused, and the nearest is named", () => {
  it.each([
    [
      "Action",
      () => new Action({ name: "pay", run, preconditon: () => true } as never),
      'Action "pay" has no option "preconditon".',
      "precondition",
    ],
    [
      "Invariant",
      () => new Invariant({ name: "paid", check, severty: "high" } as never),
      'Invariant "paid" has no option "severty".',
      "severity",
    ],
    [
      "Agent",
      () => new Agent({ actions: [action("a")], invariants: [], maxStep: 1 } as never),
      'The Agent has no option "maxStep".',
      "maxSteps",
    ],
    [
      "Agent's races",
      () => new Agent({ actions: [action("a")], invariants: [], races: { trails: 3 } } as never),
      'The Agent\'s races has no option "trails".',
      "trials",
    ],
    [
      "Agent's faults",
      () => new Agent({ actions: [action("a")], invariants: [], faults: { kind: [] } } as never),
      'The Agent\'s faults has no option "kind".',
      "kinds",
    ],
    ["World", () => new World({ contxt: {} } as never), 'The World has no option "contxt".', "context"],
    ["Rule", () => new Rule({ name: "paid", judge: check, wirtes: true } as never), 'Rule "paid" has no option "wirtes".', "writes"],
    [
      "Step",
      () => new Step({ name: "pay", action: run, expectFail: true } as never),
      'Step "pay" has no option "expectFail".',
      "expectFailure",
    ],
    [
      "Journey",
      () => new Journey({ name: "buy", steps: [new Step({ name: "pay", action: run })], timeuot: 5 } as never),
      'Journey "buy" has no option "timeuot".',
      "timeout",
    ],
    ["node", () => graph().addNode("b", { inital: true } as never), 'addNode("b") has no option "inital".', "initial"],
    ["edge", () => graph().addEdge("a", "a", { action: run, nam: "loop" } as never), 'addEdge("a", "a") has no option "nam".', "name"],
  ])("%s", (_of, make, message, near) => {
    expect(refusal(make)).toMatchObject({ message, hint: `Did you mean "${near}"?` });
  });

  it("but not the parts of one that is copied", () => {
    expect(new Action({ ...action("a"), mayNeverApply: true } as never)).toMatchObject({ name: "a", mayNeverApply: true });
    expect(new Invariant({ ...invariant("b"), message: "m" } as never)).toMatchObject({ name: "b", message: "m" });
    const agent = new Agent({ actions: [action("a")], invariants: [] });
    expect(new Agent({ ...agent, maxSteps: 7 } as never)).toMatchObject({ maxSteps: 7, actions: [{ name: "a" }] });
    for (const [races, faults] of [
      ["off", "off"],
      [{ trials: 3 }, { kinds: ["cut"] }],
    ] as const) {
      const probing = new Agent({ actions: [action("a")], invariants: [], races, faults });
      expect(new Agent({ ...probing } as never)).toEqual(probing);
    }
  });

  it("also one that only copies have", () => {
    expect(refusal(() => new Agent({ actions: [action("a")], invariants: [], users: {} } as never)).message).toBe(
      'The Agent has no option "users".',
    );
  });

  it("unless it is undefined", () => {
    expect(new Action({ name: "a", run, later: undefined } as never).name).toBe("a");
  });
});

describe("Invariant", () => {
  it("keeps what it was given, with defaults", () => {
    expect(invariant("rule")).toMatchObject({ name: "rule", message: "rule does not hold", severity: "high", when: undefined });
    expect(new Invariant({ name: "rule", check, message: "m", severity: Severity.LOW })).toMatchObject({ message: "m", severity: "low" });
  });

  it.each([
    ["an empty name", { name: "", check }],
    ["no check", { name: "rule" }],
    ["an unknown severity", { name: "rule", check, severity: "fatal" }],
  ])("%s is refused", (_what, options) => {
    expect(refusal(() => new Invariant(options as never)).code).toBe("INVARIANT_INVALID");
  });
});

describe("Agent", () => {
  const base = { actions: [action("a")], invariants: [] };

  it("uses the first login of a role, so that an empty login of a later rule replaces none", () => {
    const login = (): Promise<null> => Promise.resolve(null);
    const empty = async (): Promise<void> => {};
    const rule = (name: string, users: Readonly<Record<string, () => Promise<unknown>>>): Rule => new Rule({ name, judge: check, users });
    const { users } = new Agent({ ...base, invariants: [rule("own", { bob: login }), rule("suggested", { ann: empty, bob: empty })] });
    expect(Object.entries(users)).toEqual([
      ["bob", login],
      ["ann", empty],
    ]);
  });

  it("takes the least", () => {
    expect(new Agent(base)).toMatchObject({ name: undefined, strategy: undefined, maxSteps: undefined, seed: undefined });
  });

  it.each([
    ["no actions", { actions: [] }, /no actions/],
    ["actions that are no list", { actions: action("a") }, /not a list/],
    ["a plain object for an action", { actions: [{ name: "a", run }] }, /actions\[0\] is not an instance of Action/],
    ["two actions of one name", { actions: [action("a"), action("b"), action("a")] }, /actions\[0\] and actions\[2\].*"a"/],
    [
      "more actions than the engine can tell apart",
      { actions: Array.from({ length: 65_536 }, (_, i) => action(`a${i}`)) },
      /65536 actions, but an Agent may have at most 65535/,
    ],
    ["two invariants of one name", { invariants: [invariant("x"), invariant("x")] }, /invariants\[0\] and invariants\[1\].*"x"/],
    ["an action among invariants", { invariants: [action("a")] }, /invariants\[0\] is not an instance of Invariant/],
    ["maxSteps 0", { maxSteps: 0 }, /maxSteps is 0/],
    ["maxSteps 1.5", { maxSteps: 1.5 }, /maxSteps is 1.5/],
    ["maxSteps NaN", { maxSteps: NaN }, /maxSteps is NaN/],
    ["maxSteps as text", { maxSteps: "5" }, /maxSteps is 5/],
    ["maxDepth -1", { maxDepth: -1 }, /maxDepth is -1/],
    ["maxTime 0", { maxTime: 0 }, /maxTime is 0/],
    ["a seed that is no integer", { seed: 0.5 }, /seed is 0.5/],
  ])("%s is refused", (_what, options, text) => {
    const error = refusal(() => new Agent({ ...base, ...options } as never));
    expect(error.code).toBe("AGENT_INVALID");
    expect(error.message).toMatch(text);
  });

  it("takes a fraction of a second as maxTime, and negative seeds", () => {
    expect(new Agent({ ...base, maxTime: 0.25, seed: -3 })).toMatchObject({ maxTime: 0.25, seed: -3 });
  });
});

it("strategies say which they are", () => {
  expect([new BFS(), new DFS(), new Random(), new CoverageGuided()].map(({ kind }) => kind)).toEqual([
    "bfs",
    "dfs",
    "random",
    "coverage_guided",
  ]);
});

it("severities have the documented values and an order", () => {
  expect(Severity).toEqual({ CRITICAL: "critical", HIGH: "high", MEDIUM: "medium", LOW: "low" });
  const order = [Severity.LOW, Severity.MEDIUM, Severity.HIGH, Severity.CRITICAL];
  order.forEach((a, i) => order.forEach((b, j) => expect(isAtLeast(a, b)).toBe(i >= j)));
});
