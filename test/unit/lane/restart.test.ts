import { NOTHING_KNOWN } from "../../../src/state/index.ts";
import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { SKIPPED, type Chunk, type Expansion, type UnitRequest } from "../../../src/messages/lane-messages.ts";
import { bringUp, LaneControl, workOf, type LaneBase, type LaneWork } from "../../../src/lane/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../src/model/declare/agent.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import type { StoreTraits } from "../../../src/model/stores/store-adapter.ts";
import { World } from "../../../src/model/declare/world.ts";
import { ActingClient } from "../../support/acting-client.ts";
import { laneOptions, memoryParts } from "../../support/lane-parts.ts";
import { leapsInTime } from "../../support/leaping-clock.ts";

leapsInTime();

type Keys = Record<string, unknown>;

class Store extends MemoryAdapter<{ n: number }> {
  override readonly traits: StoreTraits = { portable: true, commits: true };
}

/** A process that reads its store when it starts and answers from memory. */
class Process {
  static starts = 0;
  static starting = 0;
  static mostStarting = 0;
  readonly store = new Store({ state: { n: 0 } });
  readonly client = new ActingClient();
  /** What it does to the store by starting. */
  atStart: () => void = () => undefined;
  memory: number | undefined = 0;
  /** Calls since it started: what no store says. */
  calls = 0;

  halt(): Promise<void> {
    this.memory = undefined;
    return Promise.resolve();
  }

  async start(): Promise<void> {
    Process.starts++;
    Process.starting++;
    Process.mostStarting = Math.max(Process.mostStarting, Process.starting);
    const { n } = this.store.state;
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.atStart();
    this.memory = n;
    this.calls = 0;
    Process.starting--;
  }

  /** 500: it takes its store for another one than it is. */
  call(change: (n: number) => number): ApiResponse {
    if (this.memory === undefined) throw new Error("the process does not run");
    this.calls++;
    if (this.memory !== this.store.state.n) return ApiResponse.of(500);
    this.memory = change(this.memory);
    this.store.state.n = this.memory;
    return ApiResponse.of(200, { n: this.memory });
  }
}

afterEach(() => {
  Process.starts = 0;
  Process.mostStarting = 0;
});

type TestAction = Action<Keys, Process>;
const up: TestAction = new Action<Keys, Process>({ name: "up", run: async (api) => api.call((n) => Math.min(n + 1, 3)) });
const down: TestAction = new Action<Keys, Process>({ name: "down", run: async (api) => api.call(() => 0) });
const look: TestAction = new Action<Keys, Process>({ name: "look", run: async (api) => api.call((n) => n) });
const never: TestAction = new Action<Keys, Process>({ name: "never", run: async () => null });
const calls: TestAction = new Action<Keys, Process>({ name: "calls", run: async (api) => ApiResponse.of(200 + Math.min(api.calls, 9)) });

interface Lane {
  readonly work: LaneWork;
  readonly bases: readonly LaneBase[];
  readonly processes: readonly Process[];
  readonly control: LaneControl;
  root(more?: Partial<UnitRequest>): UnitRequest;
}

async function laneWith(spares: number, actions: readonly TestAction[], setup?: (world: World<Keys, Process>) => void): Promise<Lane> {
  const processes: Process[] = [];
  const bases: LaneBase[] = [];
  for (let index = 0; index <= spares; index++) {
    const process = new Process();
    processes.push(process);
    const definition = new AgentDefinition<Keys, Process>({
      world: () => new World<Keys, Process>({ api: process, systems: { store: process.store } }),
      actions,
      invariants: [],
      ...(setup === undefined ? {} : { setup }),
    });
    const seat = { ...memoryParts(index), restart: process, snapshot: bases[0]?.report.snapshot };
    bases.push(await bringUp(definition as unknown as AgentDefinition<never, never>, seat, laneOptions()));
  }
  const control = new LaneControl();
  const { rootLo: lo, rootHi: hi } = bases[0]!.report;
  const root = (more: Partial<UnitRequest> = {}): UnitRequest => ({
    path: [],
    from: 0,
    to: actions.length,
    lo,
    hi,
    uncertain: false,
    snapshot: undefined,
    ...more,
  });
  return { work: workOf(bases[0]!, bases.slice(1), control), bases, processes, control, root };
}

const draws = (world: World<Keys, Process>): void => world.context.set("order", randomUUID());
const expand = (lane: Lane, units: readonly UnitRequest[], direct = true): Promise<Expansion> =>
  lane.work.expand({ units, direct } as Chunk);
const statuses = ({ rows }: Expansion): number[] => Array.from({ length: rows.length / 6 }, (_, row) => rows[row * 6 + 1]!);

describe.each([0, 2])("target.rollback: restart, with %i spares", (spares) => {
  it("executes every action in a process that was started on the node's stores", async () => {
    const again = new Action<Keys, Process>({ name: "again", run: async (api) => api.call((n) => Math.min(n + 1, 3)) });
    const lane = await laneWith(spares, [up, look, again, down]);
    expect(lane.bases[0]!.report.restarts).toBe(true);
    const first = await expand(lane, [lane.root()]);
    expect(statuses(first)).toEqual([200, 200, 200, 200]);
    expect(first).toMatchObject({ finished: 1, failure: undefined, replayed: 0 });
    const { snapshot } = first.snapshots[0]!;
    const node = lane.root({ path: [0], lo: first.rows[2]!, hi: first.rows[3]!, snapshot });
    const second = await expand(lane, [node, lane.root(), node]);
    expect(statuses(second)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(second).toMatchObject({ finished: 3, failure: undefined, replayed: 0 });
    expect([...second.rows.subarray(24, 48)]).toEqual([...first.rows]);
    expect([...second.rows.subarray(0, 24)]).toEqual([...second.rows.subarray(48)]);
  });

  it("puts back what a start itself writes", async () => {
    const lane = await laneWith(spares, [up, look, down]);
    for (const process of lane.processes) process.atStart = () => void process.store.state.n++;
    const expansion = await expand(lane, [lane.root()]);
    expect(statuses(expansion)).toEqual([200, 200, 200]);
  });

  it("names the unit and the action at which a process does not come back, and executes nothing after it", async () => {
    const lane = await laneWith(spares, [up, look, down]);
    const first = await expand(lane, [lane.root()]);
    await lane.work.rest();
    for (const process of lane.processes) process.start = () => Promise.reject(new Error("port taken"));
    const { snapshot } = first.snapshots[0]!;
    const node = lane.root({ path: [0], lo: first.rows[2]!, hi: first.rows[3]!, snapshot, from: 1 });
    const expansion = await expand(lane, [node, lane.root()]);
    expect(expansion).toMatchObject({ finished: 0, failure: { kind: "dirty", unit: 0, action: 1, message: "port taken" } });
    expect(expansion.rows).toHaveLength(0);
  });

  it("replays from a process that was started at the root where states are not written, and for checks", async () => {
    const lane = await laneWith(spares, [up, calls]);
    const first = await expand(lane, [lane.root()], false);
    // `calls` is 0 after a start at the root, and 1 after the path that leads to the node.
    expect(statuses(first)).toEqual([200, 200]);
    const node = lane.root({ path: [0], lo: first.rows[2]!, hi: first.rows[3]!, snapshot: first.snapshots[0]!.snapshot });
    const replayed = await expand(lane, [node], false);
    expect(statuses(replayed)).toEqual([200, 201]);
    expect(replayed.replayed).toBe(2);
    const written = await expand(lane, [node], true);
    expect(statuses(written)).toEqual([200, 200]);
    const check = await expand(lane, [{ ...node, check: { expected: written.rows, merge: false } }]);
    expect(check.rows).toHaveLength(0);
    expect(check).toMatchObject({ failure: undefined, replayed: 0, checked: 4 });
    expect(check.divergences).toMatchObject([
      { kind: "cross_check", path: [0], differences: ["calls: the target answered 200 the first time, but 201 now"] },
    ]);
  });

  it("takes a snapshot of its own if the given one is of a lane whose root has other ids", async () => {
    const lanes = [await laneWith(spares, [up, calls], draws), await laneWith(spares, [up, calls], draws)] as const;
    const first = await expand(lanes[0], [lanes[0].root()]);
    const node = lanes[0].root({ path: [0], lo: first.rows[2]!, hi: first.rows[3]!, snapshot: first.snapshots[0]!.snapshot });
    const [written, replayed] = [await expand(lanes[0], [node]), await expand(lanes[1], [node])];
    expect(replayed).toMatchObject({ failure: undefined, divergences: [] });
    expect([...replayed.rows]).toEqual([...written.rows]);
    expect(statuses(replayed)).toEqual([200, 200]);
    expect([written.replayed, replayed.replayed > 0]).toEqual([0, true]);
  });

  it("writes states among the ids of the root that they were captured from, although a check made the root anew", async () => {
    const lane = await laneWith(spares, [up, look], draws);
    const first = await expand(lane, [lane.root()]);
    const node = lane.root({ path: [0], lo: first.rows[2]!, hi: first.rows[3]!, snapshot: first.snapshots[0]!.snapshot });
    const written = await expand(lane, [node]);
    const check = await expand(lane, [{ ...node, check: { expected: written.rows, merge: false } }]);
    expect(check).toMatchObject({ failure: undefined, divergences: [] });
    const again = await expand(lane, [node, lane.root(), node, lane.root()]);
    expect(again.failure).toBeUndefined();
    expect([...again.rows.subarray(0, 24)]).toEqual([...written.rows, ...first.rows]);
    expect([...again.rows.subarray(24)]).toEqual([...written.rows, ...first.rows]);
  });

  it("records from a process that was started at the root", async () => {
    const lane = await laneWith(spares, [up, calls]);
    await expand(lane, [lane.root()]);
    expect((await lane.work.record([0, 1])).steps).toMatchObject([{ status: 200 }, { status: 201 }]);
    expect((await lane.work.record([1])).steps).toMatchObject([{ status: 200 }]);
    expect(await lane.work.calibrate()).toMatchObject({ learned: NOTHING_KNOWN, suspects: [] });
  });

  it("stops when it is cancelled", async () => {
    const stop: TestAction = new Action<Keys, Process>({ name: "stop", run: async (api) => (lane.control.cancel(), api.call((n) => n)) });
    const lane = await laneWith(spares, [up, stop, down]);
    const expansion = await expand(lane, [lane.root(), lane.root()]);
    expect(expansion).toMatchObject({ finished: 0, failure: undefined });
    await lane.work.rest();
  });
});

describe("a restart", () => {
  it("is not made for an action that does not apply", async () => {
    const lane = await laneWith(0, [up, never, look]);
    const expansion = await expand(lane, [lane.root()]);
    expect([...expansion.rows].filter((_, at) => at % 6 === 0).map((kind) => (kind & 0xff) === SKIPPED)).toEqual([false, true, false]);
    expect(Process.starts).toBe(2);
  });

  it("of a spare is under way while an action is executed, and used for the next one that applies", async () => {
    const lane = await laneWith(2, [never, up, look, down]);
    const expansion = await expand(lane, [lane.root()]);
    expect(statuses(expansion)).toEqual([0, 200, 200, 200]);
    // The slot at which `never` did not apply is the one that executes `up`.
    expect(Process.mostStarting).toBe(3);
    expect(Process.starts).toBeLessThanOrEqual(4);
  });

  it("gives spares the root of the lane, with whatever its setup drew", async () => {
    let draws = 0;
    const lane = await laneWith(2, [up, look], (world) => {
      world.api.store.state.n = 0;
      world.context.set("order", `a3bb189e-8bf9-3888-9912-ace4e654300${draws++}`);
    });
    expect(draws).toBe(1);
    const reports = lane.bases.map(({ report }) => [report.wholeLo, report.wholeHi, report.rootLo, report.rootHi, report.rootLines]);
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[2]).toEqual(reports[0]);
    expect(lane.bases.map(({ world }) => (world as unknown as World<Keys, Process>).context.get("order"))).toEqual(
      Array.from({ length: 3 }, () => "a3bb189e-8bf9-3888-9912-ace4e6543000"),
    );
    expect(statuses(await expand(lane, [lane.root()]))).toEqual([200, 200]);
  });
});

describe("a process that does not start alike", () => {
  it("is said before anything is explored", async () => {
    let began = 0;
    const lane = await laneWith(0, [up], (world) => world.context.set("began", ++began));
    await expect(lane.work.calibrate()).rejects.toMatchObject({
      code: "NOT_PUT_BACK",
      message: expect.stringMatching(
        /^After a restart and `setup`, the target is not in the state in which the run began \(.*began/,
      ) as string,
    });
  });
});
