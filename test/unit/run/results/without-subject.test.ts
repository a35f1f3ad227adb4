import { describe, expect, it } from "vitest";
import { Action, Agent, World } from "../../../../src/index.ts";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { singleUse } from "../../../../src/rules/index.ts";
import type { ActionCoverage } from "../../../../src/model/results/result.ts";
import { onlyRedirected, withoutSubject } from "../../../../src/run/results/without-subject.ts";

const answered = (statuses: Readonly<Record<string, number>>, brought?: true): ActionCoverage => ({
  applied: Object.values(statuses).reduce((sum, one) => sum + one, 0),
  skipped: 0,
  statuses,
  ...(brought && { brought }),
});
const notes = (names: readonly string[], coverage: Readonly<Record<string, ActionCoverage>>): readonly string[] => [
  ...withoutSubject({ subjects: new Map([["rule", names]]) }, coverage).values(),
];

describe("rules that judged nothing", () => {
  it("are named with what happened to their actions", () => {
    const coverage = { use: answered({ 400: 3 }), reset: { applied: 0, skipped: 4, statuses: {} } };
    expect(notes(["use", "reset"], coverage)).toEqual([
      "rule judged nothing: use was answered 400 in all 3 states in which it was tried, reset never made a call.",
    ]);
    expect(notes(["a", "b", "c", "d", "e"], {})).toEqual([
      "rule judged nothing: a never made a call, b never made a call, c never made a call, and 2 more actions did not work either.",
    ]);
  });

  it("are not those with one action that worked, or without actions", () => {
    expect(notes(["use", "reset"], { use: answered({ 400: 3 }), reset: answered({ 204: 1 }) })).toEqual([]);
    expect(notes([], {})).toEqual([]);
  });

  it("are those whose actions were only redirected, if that changed nothing", () => {
    const edges = [
      { from: 0, to: 0, action: 0, status: 302 },
      { from: 0, to: 0, action: 0, status: 400 },
      { from: 0, to: 1, action: 1, status: 302 },
      { from: 0, to: 0, action: 2, status: 302 },
      { from: 1, to: 1, action: 2, status: 200 },
    ];
    const redirected = onlyRedirected({ edges: { size: edges.length, at: (edge: number) => edges[edge] } } as never, [
      "use",
      "log_out",
      "read",
    ]);
    expect([...redirected]).toEqual(["use"]);
    const coverage = { use: answered({ 302: 1, 400: 1 }), log_out: answered({ 302: 1 }) };
    expect([...withoutSubject({ subjects: new Map([["rule", ["use"]]]) }, coverage, redirected).values()]).toEqual([
      "rule judged nothing: use was only answered with redirects that changed nothing.",
    ]);
    expect([...withoutSubject({ subjects: new Map([["rule", ["use", "log_out"]]]) }, coverage, redirected)]).toEqual([]);
  });

  it("a refused action counts only if a rule brought it", () => {
    expect(notes(["read_as_bob"], { read_as_bob: answered({ 403: 2 }, true) })).toEqual([]);
    expect(notes(["read_as_bob"], { read_as_bob: answered({ 0: 2 }, true) })).toHaveLength(1);
  });
});

it.each([
  [400, "single_use_use judged nothing: use was answered 400"],
  // Nothing that the run sees has changed, so there is nothing in which two uses at the same time could meet.
  [200, "no call of them changed the state"],
])("a run does not count a rule as held if its action was always answered %i", async (status, why) => {
  const act = (name: string): Action => new Action({ name, run: async (api) => api.post(`/${name}`) });
  const [create, use] = [act("create"), act("use")];
  const world = (): World<object> => {
    const store = new MemoryAdapter({ state: {} });
    const answer = async ({ url }: Request): Promise<Response> => new Response(null, { status: url.endsWith("/use") ? status : 201 });
    return new World<object>({ api: new HttpClient(answer), systems: { store } });
  };
  const agent = new Agent({ name: "a", world, actions: [create, use], invariants: [singleUse({ create, use })] });
  const { unjudgedRules, notes } = await agent.explore();
  expect(unjudgedRules).toEqual(["single_use_use"]);
  expect(notes.join("\n")).toContain(why);
});
