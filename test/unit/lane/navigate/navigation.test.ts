import { NOTHING_KNOWN } from "../../../../src/state/index.ts";
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { ExplorationEvent } from "../../../../src/engine/events.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { laneCase, mess, type Hands } from "../../../support/lane-case.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { bringUp, LaneControl, LaneRuntime } from "../../../../src/lane/index.ts";
import { laneOf, laneOptions, memoryParts } from "../../../support/lane-parts.ts";

const up = { run: ({ store }: Hands) => (store.state.n++, ApiResponse.of(200)) };
const look = { run: ({ store }: Hands) => ApiResponse.of(200 + store.state.n) };

describe("getting to a node", () => {
  it("by replay from the root, going on from the longest common path", async () => {
    const lane = await laneCase({ actions: [up, look] });
    const { rows } = await lane.expand();
    const one = { lo: rows[0]!.lo, hi: rows[0]!.hi };
    const first = await lane.expand({ path: [0], ...one });
    expect(first.expansion.replayed).toBe(1);
    expect(first.rows).toMatchObject([{ same: false }, { status: 201, same: true }]);
    const two = { lo: first.rows[0]!.lo, hi: first.rows[0]!.hi };
    const second = await lane.expand({ path: [0, 0], ...two });
    expect(second.expansion.replayed).toBe(1);
    expect(second.rows[1]).toMatchObject({ status: 202 });
    const back = await lane.expand({ path: [0], ...one });
    expect(back.expansion.replayed).toBe(0);
    expect(back.rows).toEqual(first.rows);
    expect((await lane.expand()).rows).toEqual(rows);
  });

  it("by writing its captured state, without a replay; what is written may be written any number of times", async () => {
    const lane = await laneCase({ actions: [{ run: (hands) => (mess(hands), ApiResponse.of(200)) }, look] });
    const root = await lane.expand();
    const node = { path: [0], lo: root.rows[0]!.lo, hi: root.rows[0]!.hi, snapshot: root.expansion.snapshots[0]!.snapshot };
    const replayed = await (
      await laneCase({ actions: [{ run: (hands) => (mess(hands), ApiResponse.of(200)) }, look] })
    ).expand({ ...node, snapshot: undefined });
    for (let round = 0; round < 2; round++) {
      const written = await lane.expand(node);
      expect(written.expansion.replayed).toBe(0);
      expect(written.rows).toEqual(replayed.rows);
      expect((await lane.expand()).rows).toEqual(root.rows);
    }
  });

  it("by replay if the snapshot is of a lane whose target generated other values before the exploration", async () => {
    type Users = Record<string, unknown>;
    class Seeded extends MemoryAdapter<{ n: number; key: string }> {}
    const lanes = [randomBytes(16), randomBytes(16)].map((key) => {
      const definition = new AgentDefinition<Users, Seeded>({
        world: () => {
          const store = new Seeded({ state: { n: 0, key: key.toString("hex") } });
          return new World<Users, Seeded>({ api: store, systems: { store } });
        },
        actions: [new Action<Users, Seeded>({ name: "up", run: async (api) => (api.state.n++, ApiResponse.of(200)) })],
        invariants: [],
      });
      return laneOf(definition);
    });
    const [first, second] = await Promise.all(lanes);
    const { rootLo: lo, rootHi: hi } = first!.base.report;
    expect(second!.base.report).toMatchObject({ rootLo: lo, rootHi: hi });
    const unit = { from: 0, to: 1, uncertain: false };
    const root = await first!.runtime.expand({ units: [{ ...unit, path: [], lo, hi, snapshot: undefined }], direct: true });
    const node = { ...unit, path: [0], lo: root.rows[2]!, hi: root.rows[3]!, snapshot: root.snapshots[0]!.snapshot };
    const [written, replayed] = await Promise.all([first!, second!].map(({ runtime }) => runtime.expand({ units: [node], direct: true })));
    expect([written!.replayed, replayed!.replayed]).toEqual([0, 1]);
    expect(replayed!.rows).toEqual(written!.rows);
  });

  it.each([
    ["the base URL", (at: string) => ({ link: `http://${at}/orders/1` }), 1],
    ["the port on localhost", (at: string) => ({ link: `see ${at.replace("127.0.0.1", "localhost")}` }), 1],
    ["no URL", () => ({ link: "/orders/1" }), 0],
  ])("by replay if the snapshot holds %s of the other lane's target", async (_what, state, replays) => {
    type Linked = MemoryAdapter<{ link: string }>;
    const lanes = [3001, 3002].map(async (port) => {
      const at = `127.0.0.1:${port}`;
      const definition = new AgentDefinition<Record<string, unknown>, Linked>({
        world: () => {
          const store: Linked = new MemoryAdapter({ state: { link: "" } });
          return new World<Record<string, unknown>, Linked>({ api: store, systems: { store } });
        },
        actions: [
          new Action<Record<string, unknown>, Linked>({
            name: "make",
            run: async (api) => (Object.assign(api.state, state(at)), ApiResponse.of(200)),
          }),
        ],
        invariants: [],
      });
      const parts = memoryParts(0);
      const base = await bringUp(
        definition as unknown as AgentDefinition<never, never>,
        { ...parts, lane: { ...parts.lane, baseUrl: `http://${at}` } },
        laneOptions(),
      );
      return { base, runtime: new LaneRuntime(base, new LaneControl()) };
    });
    const [first, second] = await Promise.all(lanes);
    const { rootLo: lo, rootHi: hi } = first!.base.report;
    const unit = { from: 0, to: 1, uncertain: false };
    const root = await first!.runtime.expand({ units: [{ ...unit, path: [], lo, hi, snapshot: undefined }], direct: true });
    const node = { ...unit, path: [0], lo: root.rows[2]!, hi: root.rows[3]!, snapshot: root.snapshots[0]!.snapshot };
    const [own, other] = await Promise.all([first!, second!].map(({ runtime }) => runtime.expand({ units: [node], direct: true })));
    expect([own!.replayed, other!.replayed]).toEqual([0, replays]);
    expect(other!.rows).toEqual(own!.rows);
  });

  it.each(["at once", "later"])(
    "by replay if the snapshot does not fit this lane, which then refuses snapshots of other lanes: %s",
    async (when) => {
      type Users = Record<string, unknown>;
      class Strict extends MemoryAdapter<{ n: number }> {
        tries = 0;
        override write(): never {
          this.tries++;
          const refusal = new SeqqaError("JOURNAL_INCOHERENT", "The rows of this lane differ.");
          if (when === "at once") throw refusal;
          return Promise.reject(refusal) as never;
        }
      }
      const lanes = [Strict, MemoryAdapter<{ n: number }>].map(async (Store) => {
        const store = new Store({ state: { n: 0 } });
        const definition = new AgentDefinition<Users, MemoryAdapter<{ n: number }>>({
          world: () => new World<Users, MemoryAdapter<{ n: number }>>({ api: store, systems: { store } }),
          actions: [
            new Action<Users, MemoryAdapter<{ n: number }>>({ name: "up", run: async (api) => (api.state.n++, ApiResponse.of(200)) }),
          ],
          invariants: [],
        });
        return { store, lane: await laneOf(definition) };
      });
      const [strict, first] = await Promise.all(lanes);
      const { rootLo: lo, rootHi: hi } = first!.lane.base.report;
      const unit = { from: 0, to: 1, uncertain: false };
      const rootUnit = { ...unit, path: [], lo, hi, snapshot: undefined };
      const root = await first!.lane.runtime.expand({ units: [rootUnit], direct: true });
      const node = { ...unit, path: [0], lo: root.rows[2]!, hi: root.rows[3]!, snapshot: root.snapshots[0]!.snapshot };
      for (const replayed of [1, 1]) {
        const { rows, failure, ...expansion } = await strict!.lane.runtime.expand({ units: [node], direct: true });
        expect([expansion.replayed, failure, rows[1]]).toEqual([replayed, undefined, 200]);
        await strict!.lane.runtime.expand({ units: [rootUnit], direct: true });
      }
      expect((strict!.store as Strict).tries).toBe(1);
    },
  );

  it("captures a state once, and none that is known", async () => {
    const lane = await laneCase({ actions: [up, up, look] });
    const { expansion, rows } = await lane.expand();
    expect(expansion.snapshots.map(({ action }) => action)).toEqual([0]);
    lane.lane.runtime.visited = { has: (lo, hi) => lo === rows[0]!.lo && hi === rows[0]!.hi };
    expect((await lane.expand()).expansion.snapshots).toEqual([]);
  });

  it("that is not the one on record is a divergence, and loses the lane; on a fresh one what is there is expanded", async () => {
    const lane = await laneCase({ actions: [up, look] });
    const wrong = { path: [0], lo: 1, hi: 2 };
    const first = await lane.expand(wrong);
    const message = "When seqqa executed a0 again, the target reached a different state than the first time";
    expect(first.expansion).toMatchObject({ finished: 0, failure: { kind: "dirty", unit: 0, action: 0, message } });
    expect(first.rows).toEqual([]);
    // The second try may succeed by chance.
    expect(first.expansion.divergences).toMatchObject([{ kind: "replay", path: [0], calls: [0] }]);
    const [text, ...lines] = first.expansion.divergences[0]!.differences;
    expect(text).toBe("the state to which the path leads now:");
    expect(lines).toContain("  systems.store.n = 1");
    const again = await lane.expand({ ...wrong, suspect: "dirty" });
    expect(again.expansion.failure).toBeUndefined();
    expect(again.rows).toHaveLength(2);
    expect(again.expansion.divergences).toMatchObject([{ kind: "replay", path: [0] }]);
    expect(again.expansion.divergences[0]!.differences.length).toBeGreaterThan(0);
  });

  it("a store that is not put back loses the lane and says so", async () => {
    class Broken extends MemoryAdapter<{ n: number }> {
      override restore(): void {
        // Nothing is put back.
      }
    }
    const { runtime, base } = await laneOf(
      new AgentDefinition<Record<string, unknown>, MemoryAdapter<{ n: number }>>({
        world: () => {
          const store = new Broken({ state: { n: 0 } });
          return new World<Record<string, unknown>, MemoryAdapter<{ n: number }>>({ api: store, systems: { store } });
        },
        actions: [
          new Action<Record<string, unknown>, MemoryAdapter<{ n: number }>>({
            name: "up",
            run: async (api) => (api.state.n++, ApiResponse.of(200)),
          }),
        ],
        invariants: [],
      }),
    );
    // What stays behind is not taken for something that is drawn anew each time, and hidden.
    expect(await runtime.calibrate()).toMatchObject({ learned: NOTHING_KNOWN, suspects: [] });
    const { rootLo: lo, rootHi: hi } = base.report;
    const expansion = await runtime.expand({
      units: [{ path: [], from: 0, to: 1, lo, hi, snapshot: undefined, crossCheck: false } as never],
      direct: true,
    });
    expect(expansion.failure).toMatchObject({ kind: "dirty", message: expect.stringContaining('"up"') as string });
    expect(expansion.failure!.differences!.length).toBeGreaterThan(0);
  });

  it("stops between two actions when it is cancelled", async () => {
    const lane = await laneCase({ actions: [up, { run: () => (lane.lane.control.cancel(), ApiResponse.of(200)) }, up] });
    const { expansion } = await lane.expand();
    expect(expansion).toMatchObject({ finished: 0, failure: undefined });
    expect(lane.lane.control.beats).toBeGreaterThan(0);
  });
});

describe("recording a path", () => {
  it("executes it from the root with all that it sends, checks its last state, and puts it back", async () => {
    const lane = await laneCase({
      actions: [{ run: async ({ store }, api) => (store.state.n++, api.send()) }],
      invariants: [{ name: "below_two", check: ({ store }) => store.state.n < 2 }],
    });
    const { rows } = await lane.expand();
    const recording = await lane.lane.runtime.record([0, 0]);
    expect(recording.steps).toMatchObject([
      { action: "a0", status: 200, requests: [{ request: { method: "POST" }, response: { status: 200 } }] },
      { action: "a0", status: 200 },
    ]);
    expect(recording.findings.map(({ invariant }) => invariant)).toEqual(["below_two"]);
    expect(recording).toMatchObject({ errors: [], brokeAt: undefined, failure: undefined });
    expect(lane.store.state).toEqual({ n: 0 });
    expect((await lane.lane.runtime.record([0])).reached).toEqual({ lo: rows[0]!.lo, hi: rows[0]!.hi });
    expect((await lane.lane.runtime.record([])).findings).toEqual([]);
  });

  it("says where it broke off", async () => {
    const lane = await laneCase({ actions: [up, { precondition: (context) => context.has("never"), run: () => expect.unreachable() }] });
    expect(await lane.lane.runtime.record([0, 1, 0])).toMatchObject({ brokeAt: 1, reached: undefined, findings: [] });
  });

  it("says what each step changed, and what each rule asked for", async () => {
    const lane = await laneCase({
      actions: [{ run: async ({ store }, api) => (store.state.n++, api.send()) }],
      invariants: [{ name: "asks", check: async ({ client }) => (await client.send()).ok }],
    });
    const { steps, checks } = await lane.lane.runtime.record([0, 0]);
    expect(steps.map(({ changes }) => changes)).toEqual([
      ["- systems.store.n = 0", "+ systems.store.n = 1"],
      ["- systems.store.n = 1", "+ systems.store.n = 2"],
    ]);
    expect(checks).toMatchObject([{ invariant: "asks", exchange: { response: { status: 200 } } }]);
    // Only what is sent after the last step of a recording.
    expect((await lane.lane.runtime.record([0])).checks).toHaveLength(1);
  });

  it("leaves the lane fit for work", async () => {
    const lane = await laneCase({ actions: [up, look] });
    const before = await lane.expand();
    await lane.lane.runtime.record([0, 0, 0]);
    expect((await lane.expand()).rows).toEqual(before.rows);
  });
});

describe("trying a path", () => {
  const below = {
    name: "below_two",
    check: ({ store }: { readonly store: { readonly state: { readonly n: number } } }) => store.state.n < 2,
  };

  it("judges its last step, and goes on from where the path before had it in common", async () => {
    const lane = await laneCase({ actions: [up, look], invariants: [below] });
    const { runtime } = lane.lane;
    expect(await runtime.probe([0, 1, 1, 0])).toMatchObject({
      steps: 4,
      status: 200,
      findings: [{ invariant: "below_two" }],
      failure: undefined,
    });
    const before = runtime.replayed;
    expect(await runtime.probe([0, 1, 0])).toMatchObject({ steps: 3, findings: [{ invariant: "below_two" }] });
    expect(runtime.replayed).toBe(before);
    expect(await runtime.probe([1, 0])).toMatchObject({ steps: 2, findings: [] });
    expect((await lane.expand()).rows).toEqual((await (await laneCase({ actions: [up, look], invariants: [below] })).expand()).rows);
  });

  it("does not take a state for another that drew other data", async () => {
    const seen: number[] = [];
    const draw = { run: ({ context, store }: Hands) => ((store.state.n = context.data.integer(1, 1_000_000)), ApiResponse.of(200)) };
    const lane = await laneCase({
      actions: [draw, up],
      invariants: [{ name: "never", check: ({ store }) => (seen.push(store.state.n), true) }],
    });
    seen.length = 0;
    const { runtime } = lane.lane;
    for (const draws of [undefined, [[1], [1, 0]], undefined]) await runtime.probe([0, 1], draws);
    expect(seen[0]).toBe(seen[2]);
    expect(seen[1]).not.toBe(seen[0]);
  });

  it("says that a step stood in the way, with the lane unharmed", async () => {
    const lane = await laneCase({ actions: [up, { precondition: (context) => context.has("never"), run: () => expect.unreachable() }] });
    expect(await lane.lane.runtime.probe([1, 0])).toEqual({ steps: 0, status: null, findings: [], failure: undefined });
    expect(await lane.lane.runtime.probe([0, 1])).toMatchObject({ steps: 0, failure: undefined });
    expect(await lane.lane.runtime.probe([0])).toMatchObject({ steps: 1, status: 200 });
  });
});

/** An api that remembers something outside of its store. */
interface Forgetful {
  readonly store: MemoryAdapter<{ n: number }>;
  last: string;
}

function remembering(
  actions: Readonly<Record<string, (api: Forgetful) => ApiResponse>>,
): AgentDefinition<Record<string, unknown>, Forgetful> {
  return new AgentDefinition<Record<string, unknown>, Forgetful>({
    world: () => {
      const store = new MemoryAdapter({ state: { n: 0 } });
      return new World<Record<string, unknown>, Forgetful>({ api: { store, last: "" }, systems: { store } });
    },
    actions: Object.entries(actions).map(
      ([name, run]) => new Action<Record<string, unknown>, Forgetful>({ name, run: async (api) => run(api) }),
    ),
    invariants: [],
  });
}

const peek = ({ last }: Forgetful): ApiResponse => ApiResponse.of(last === "up" || last === "one" ? 200 : 404);
const does =
  (name: string, change: (n: number) => number) =>
  (api: Forgetful): ApiResponse => {
    api.last = name;
    api.store.state.n = change(api.store.state.n);
    return ApiResponse.of(200);
  };

describe("checking the ways against each other", () => {
  const upTo3 = does("up", (n) => Math.min(n + 1, 3));

  it("a target that remembers what its store does not say is a divergence; the run goes on by replay", async () => {
    const agent = remembering({ peek, up: upTo3, other: does("other", (n) => n) });
    const { explorer } = await runExplorer(agent, { crossCheck: { first: 20, oneIn: 0 } });
    expect(explorer.divergences.all).toMatchObject([{ kind: "cross_check", path: ["up"] }]);
    expect(explorer.divergences.all[0]!.differences).toEqual(["peek: the target answered 404 the first time, but 200 now"]);
    expect(explorer.stopReason).toBe("exhausted");
    expect(explorer.committer.visited.size).toBe(4);
    // One node was checked along its path.
    expect(explorer.crossChecked).toBeGreaterThan(1);
  });

  it("of states that differ, the divergence shows what the step changed, or what tells the paths apart", async () => {
    const remembers: typeof peek = (api) => {
      api.store.state.n = api.last === "up" || api.last === "one" ? 7 : 8;
      return ApiResponse.of(200);
    };
    const written = remembering({ peek: remembers, up: upTo3, other: does("other", (n) => n) });
    const one = await runExplorer(written, { maxSteps: 9, crossCheck: { first: 20, oneIn: 0 } });
    const text = "peek: the target answered 200 both times, but reached different states;";
    expect(one.explorer.divergences.all[0]!.differences).toEqual([
      `${text} differences between the first and the second execution:`,
      "  - systems.store.n = 8",
      "  + systems.store.n = 7",
    ]);
    const merged = remembering({ peek: remembers, one: does("one", () => 1), two: does("two", () => 1) });
    const { explorer } = await runExplorer(merged, { direct: false, crossCheck: { first: 0, oneIn: 1 } });
    const merge = explorer.divergences.all.find(({ kind }) => kind === "merge")!;
    expect(merge.differences).toEqual([
      `${text} differences between the other path and this path:`,
      "  - systems.store.n = 7",
      "  + systems.store.n = 8",
    ]);
  });

  it("many actions that depend on what the target remembers are not all executed again to explain each of them", async () => {
    let calls = 0;
    const names = Array.from({ length: 30 }, (_, at) => `write${at}`);
    const writes = Object.fromEntries(
      names.map((name, at) => [
        name,
        (api: Forgetful): ApiResponse => {
          calls++;
          if (api.store.state.n === 1) api.store.state.n = 100 + 2 * at + (api.last === names[at - 1] ? 1 : 0);
          api.last = name;
          return ApiResponse.of(200);
        },
      ]),
    );
    const agent = remembering({ up: does("up", (n) => n || 1), ...writes });
    const run = async (first: number): Promise<readonly string[]> => {
      calls = 0;
      const { explorer } = await runExplorer(agent, { maxSteps: 62, crossCheck: { first, oneIn: 0 } });
      return explorer.divergences.all[0]?.differences ?? [];
    };
    await run(0);
    const [searched, lines] = [calls, await run(20)];
    const texts = lines.filter((line) => line.startsWith("write"));
    expect(texts[0]).toMatch(/differences between the first and the second execution:$/);
    expect(texts.slice(1).every((line) => line.endsWith("the second time, the step changed:"))).toBe(true);
    expect(texts).toHaveLength(7);
    // The check executes each action of a node once. For the lines, it executes all actions once more, and some actions a second time.
    expect(calls - searched).toBeLessThan(4 * names.length);
  });

  it("of values that differ each time, the divergence shows two of them", async () => {
    let count = 0;
    const agent = remembering({ up: does("up", (n) => n || 1), draw: does("draw", (n) => (n === 1 ? 1000 + count++ : n)) });
    const crossed = await runExplorer(agent, { crossCheck: { first: 20, oneIn: 0 } });
    const text = "draw: the target answered 200 both times, but reached different states; each execution leads to another state;";
    const pair = [expect.stringMatching(/^ {2}- systems\.store\.n = \d+$/), expect.stringMatching(/^ {2}\+ systems\.store\.n = \d+$/)];
    const found = crossed.explorer.divergences.all.map(({ differences }) => differences);
    expect(found).toContainEqual([`${text} differences between two executions:`, ...pair]);
    const notes: string[] = [];
    const onEvent = (event: ExplorationEvent): void =>
      void (event.kind === "note" && event.failure !== undefined && notes.push(event.message));
    const draws = Array.from({ length: 6 }, (_, at) => `draw${at}`);
    const many = remembering({
      up: upTo3,
      ...Object.fromEntries(draws.map((name) => [name, does(name, (n) => (n === 1 ? 1000 + count++ : n))])),
    });
    const replayed = await runExplorer(many, { direct: false, maxSteps: 40, crossCheck: { first: 0, oneIn: 0 }, onEvent });
    // A lane is started again for nearly each state.
    expect(notes.map((note) => /seqqa does not report more/.test(note))).toEqual([false, false, false, true]);
    const replay = replayed.explorer.divergences.all.find(({ kind }) => kind === "replay");
    expect(replay?.differences).toEqual(["each execution leads to another state; differences between two executions:", ...pair]);
  });

  it("one that remembers nothing gives no divergence, and what was checked is counted", async () => {
    const agent = remembering({ up: upTo3, other: does("other", (n) => n) });
    const { explorer } = await runExplorer(agent, { crossCheck: { first: 20, oneIn: 0 } });
    expect(explorer.divergences.all).toEqual([]);
    // Three nodes are checked: 1, 2 and 3 steps to get there, less what is common, and two actions at each.
    expect(explorer.crossChecked).toBeGreaterThanOrEqual(3 * 2 + 3);
    expect(explorer.replayed).toBe(0);
    expect(explorer.committer.steps).toBe(8);
    const unchecked = await runExplorer(agent, { crossCheck: { first: 0, oneIn: 0 } });
    expect([unchecked.explorer.replayed, unchecked.explorer.crossChecked]).toEqual([0, 0]);
  });

  it("two paths to one state that go on differently are a divergence of the merge", async () => {
    const agent = remembering({ peek, one: does("one", () => 1), two: does("two", () => 1) });
    const { explorer } = await runExplorer(agent, { direct: false, crossCheck: { first: 0, oneIn: 1 } });
    expect(explorer.divergences.all).toMatchObject([
      { kind: "merge", path: ["two"], differences: ["peek: the target answered 200 the first time, but 404 now"] },
    ]);
    expect(explorer.stopReason).toBe("exhausted");
  });
});
