import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { AgentDefinition, type AgentOptions } from "../../../src/model/declare/agent.ts";
import { Invariant } from "../../../src/model/declare/invariant.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { World, type WorldOptions } from "../../../src/model/declare/world.ts";
import { noServerErrors, rejectedMeansUnchanged } from "../../../src/rules/index.ts";
import { ActingClient } from "../../support/acting-client.ts";
import { runExplorer } from "../../support/run-explorer.ts";
import { laneOf } from "../../support/lane-parts.ts";

type Keys = Record<string, unknown>;

/** A target that no store puts back: it counts to three, and knows who logged in. */
class Hidden {
  n = 0;
  session = "";
  resets = 0;
  logins = 0;

  reset(): void {
    this.resets++;
    this.n = 0;
    this.session = "";
  }

  login(): string {
    this.logins++;
    return (this.session = randomUUID());
  }

  up(): ApiResponse {
    this.n = Math.min(this.n + 1, 3);
    return ApiResponse.of(200, { n: this.n });
  }
}

/** The keys of the context that the actions and `setup` of these tests set. */
const SHOWN = ["n", "token", "seen", "order", "began"];

const up = new Action<Keys, Hidden>({
  name: "up",
  run: async (api, context) => {
    const answer = api.up();
    context.set("n", api.n);
    return answer;
  },
});
/** Changes the target and says nothing of it. */
const silently = new Action<Keys, Hidden>({ name: "silently", run: async (api) => (api.up(), ApiResponse.of(204)) });
const never = new Action<Keys, Hidden>({ name: "never", run: async () => null });
const unmet = new Action<Keys, Hidden>({ name: "unmet", precondition: () => false, run: async () => null });
const peek = new Action<Keys, Hidden>({ name: "peek", run: async (api) => ApiResponse.of(200 + api.n) });

function agentOf(
  api: Hidden,
  options: Partial<AgentOptions<Keys, Hidden>> = {},
  world: Partial<WorldOptions<Keys, Hidden>> = {},
): AgentDefinition<Keys, Hidden> {
  return new AgentDefinition<Keys, Hidden>({
    // Without `stateFromContext`, the state would not be visible, and states with equal contexts would not be merged.
    world: () => new World<Keys, Hidden>({ api, reset: ({ api: target }) => target.reset(), stateFromContext: SHOWN, ...world }),
    actions: [up, silently, never, peek],
    invariants: [],
    ...options,
  });
}

describe("a world with reset", () => {
  it("goes back by reset and replay: every branch begins where the path says, whatever was executed before", async () => {
    const api = new Hidden();
    const { explorer } = await runExplorer(agentOf(api), { direct: false, crossCheck: { first: 20, oneIn: 1 } });
    expect(explorer.divergences.all).toEqual([]);
    expect(explorer.stopReason).toBe("exhausted");
    // n = none, 1, 2, 3 by what the context knows; `silently` would make more of them if it were not undone.
    expect(explorer.committer.visited.size).toBe(4);
    expect(explorer.committer.edges.size).toBe(4 * 3);
    expect(Object.keys(explorer.committer.coverage()["peek"]!.statuses)).toEqual(["200", "201", "202", "203"]);
  });

  it("has no visible state without stateFromContext, so that each call leads to a new state", async () => {
    const world = (): World<Keys, Hidden> => new World<Keys, Hidden>({ api: new Hidden(), reset: ({ api }) => api.reset() });
    const agent = agentOf(new Hidden(), { actions: [silently], world });
    const { explorer } = await runExplorer(agent, { direct: false, maxDepth: 3 });
    expect([explorer.stopReason, explorer.committer.visited.size]).toEqual(["max_depth", 4]);
  });

  it("shows what a client that is not seqqa's wrote, through a probe that is called after each step", async () => {
    for (const clients of [{}, { admin: new ActingClient() as never }]) {
      const seen = agentOf(new Hidden(), { actions: [silently] }, { probe: ({ api }) => api.n, clients });
      const { explorer } = await runExplorer(seen, { direct: false });
      expect([explorer.stopReason, explorer.committer.visited.size]).toEqual(["exhausted", 4]);
    }
  });

  it("resets only after something was executed, and replays the path from there", async () => {
    const api = new Hidden();
    const { runtime, base } = await laneOf(agentOf(api, { actions: [never, up, unmet, peek] }));
    const { rootLo: lo, rootHi: hi } = base.report;
    const unit = { path: [], from: 0, to: 4, lo, hi, uncertain: false, snapshot: undefined };
    expect(api.resets).toBe(1);
    const first = await runtime.expand({ units: [unit], direct: false });
    expect(first).toMatchObject({ finished: 1, failure: undefined, replayed: 0 });
    // Before `peek`; what does not apply changes nothing, and needs no way back.
    expect(api.resets).toBe(2);
    const node = { lo: first.rows[6 + 2]!, hi: first.rows[6 + 3]! };
    const second = await runtime.expand({ units: [{ ...unit, path: [1], ...node }], direct: false });
    expect(second).toMatchObject({ failure: undefined, replayed: 2 });
    expect(api.resets).toBe(4);
  });

  it("runs setup again after each reset: what that draws anew is the new root's own", async () => {
    const api = new Hidden();
    const agent = agentOf(api, {
      setup: (world) => {
        world.context.set("token", world.api.login());
        world.context.set("seen", [world.context.get("token")]);
      },
      actions: [
        up,
        new Action<Keys, Hidden>({
          name: "me",
          run: async ({ session }, context) => {
            const known = session !== "" && context.get("token") === session;
            context.set("order", { by: session });
            return ApiResponse.of(known ? 200 : 401);
          },
        }),
      ],
    });
    const { explorer } = await runExplorer(agent, { direct: false, crossCheck: { first: 20, oneIn: 1 } });
    expect(explorer.divergences.all).toEqual([]);
    expect(explorer.committer.coverage()["me"]!.statuses).toEqual({ 200: 8 });
    // Four counts, with and without an order by the one who is logged in.
    expect(explorer.committer.visited.size).toBe(8);
    expect(api.logins).toBe(api.resets);
  });

  it("puts declared stores back besides, as they were before setup, which runs on them again", async () => {
    const api = new Hidden();
    const store = new MemoryAdapter<{ users: string[]; orders: number }>({ state: { users: ["template"], orders: 0 } });
    const agent = agentOf(
      api,
      {
        setup: () => {
          if (store.state.users.length !== 1) throw new Error("the user of the setup before is still there");
          store.state.users.push("ann");
        },
        actions: [
          new Action<Keys, Hidden>({
            name: "order",
            run: async (target) => {
              if (target.n === 2) return ApiResponse.of(409);
              target.up();
              store.state.orders++;
              return ApiResponse.of(store.state.orders === target.n ? 201 : 500);
            },
          }),
          peek,
        ],
      },
      {
        systems: { store },
        // A reset that also writes to the store, another way each time.
        reset: ({ api: target }) => {
          target.reset();
          store.state.orders = target.resets - 1;
        },
      },
    );
    const { explorer } = await runExplorer(agent, { direct: false, crossCheck: { first: 20, oneIn: 1 } });
    expect(explorer.divergences.all).toEqual([]);
    expect(explorer.committer.visited.size).toBe(3);
    expect(explorer.committer.coverage()["order"]!.statuses).toEqual({ 201: 2, 409: 1 });
    expect(explorer.committer.findings.violations.size).toBe(0);
  });

  it("a reset that leaves something behind which setup shows is said to be at fault", async () => {
    const api = new Hidden();
    const agent = agentOf(
      api,
      { setup: (world) => world.context.set("began", world.api.n), actions: [up, peek] },
      { reset: ({ api: target }) => void target.resets++ },
    );
    const { runtime, base } = await laneOf(agent);
    const { rootLo: lo, rootHi: hi } = base.report;
    const { failure } = await runtime.expand({
      units: [{ path: [], from: 0, to: 2, lo, hi, uncertain: false, snapshot: undefined }],
      direct: false,
    });
    expect(failure).toMatchObject({
      kind: "dirty",
      action: 1,
      message: "After reset and `setup`, the target is not in the state in which the run began",
    });
    expect(failure!.differences!.join("\n")).toContain("context.began");
  });

  it("a reset that throws is named", async () => {
    const agent = agentOf(
      new Hidden(),
      {},
      {
        reset: () => {
          throw new Error("no such table");
        },
      },
    );
    await expect(laneOf(agent)).rejects.toMatchObject({
      code: "RESET_THREW",
      message: "The function `reset` of the World threw an error: no such table",
    });
  });

  it("records a path from a clean start, and says how it puts back", async () => {
    const api = new Hidden();
    const { runtime, base } = await laneOf(
      agentOf(api, {
        invariants: [new Invariant<Keys, Hidden>({ name: "below_two", check: (world) => ((world.context.get("n") ?? 0) as number) < 2 })],
      }),
    );
    await runtime.expand({
      units: [{ path: [], from: 1, to: 2, lo: base.report.rootLo, hi: base.report.rootHi, uncertain: false, snapshot: undefined }],
      direct: false,
    });
    const recording = await runtime.record([0, 0]);
    expect(recording.findings.map(({ invariant }) => invariant)).toEqual(["below_two"]);
    expect(api.n).toBe(0);
    expect(base.report).toMatchObject({ contextOnly: false, portable: false, snapshot: undefined });
    expect(base.report.systems).toEqual([
      "target: reset and replay: the `reset` of the World restores the root state, and seqqa reaches every other state by executing the path to this state again, and checks that the context and the clients are as they were the first time",
    ]);
  });

  it("reports the rules that it does not check", async () => {
    const writes = rejectedMeansUnchanged();
    const { base } = await laneOf(agentOf(new Hidden(), { invariants: [noServerErrors(), writes] as never[] }));
    expect(writes.writes).toBe(true);
    expect(base.report.leftOutRules).toEqual([writes.name]);
  });

  it("leaves the user's target at its root in the end", async () => {
    const api = new Hidden();
    const { runtime, base } = await laneOf(agentOf(api));
    const { rootLo: lo, rootHi: hi } = base.report;
    await runtime.expand({ units: [{ path: [], from: 0, to: 1, lo, hi, uncertain: false, snapshot: undefined }], direct: false });
    expect(api.n).toBe(1);
    await base.home.leave();
    expect(api.n).toBe(0);
  });
});

describe("a target that only the context is put back of", () => {
  it("says so", async () => {
    const { base } = await laneOf(
      new AgentDefinition<Keys, Hidden>({ world: () => new World<Keys, Hidden>({ api: new Hidden() }), actions: [up], invariants: [] }),
    );
    expect(base.report).toMatchObject({ contextOnly: true, systems: [] });
  });
});
