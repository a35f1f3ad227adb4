import { fixedCapacity, type LaneCapacity, type LanePool } from "../../src/engine/lane-pool.ts";
import type {
  Calibration,
  CalibrationWalk,
  Chunk,
  Expansion,
  LaneFailureKind,
  LaneReport,
  PathEnd,
  Recording,
  UnitRequest,
} from "../../src/messages/lane-messages.ts";
import { NOTHING_KNOWN, type Knowledge } from "../../src/state/index.ts";
import type { FaultAnswer, FaultRequest } from "../../src/messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../../src/messages/race-messages.ts";
import type { VisitedSet } from "../../src/engine/graph/visited-set.ts";
import type { LaneOptions, LaneRuntime } from "../../src/lane/index.ts";
import type { AgentDefinition } from "../../src/model/declare/agent.ts";
import { tryFaults } from "../../src/faults/index.ts";
import { RaceLane } from "../../src/races/index.ts";
import { Draws } from "./draws.ts";
import { laneOf } from "./lane-parts.ts";

export interface LanesExpanderOptions {
  readonly definition: AgentDefinition<never, never>;
  readonly lanes: number;
  /** Maximum number of chunks that a lane holds at a time. Default: 1. */
  readonly depth?: number;
  /** The seed of delays, of lost lanes, and of the durations that the engine is told. */
  readonly seed?: number;
  /** The share of chunks in which the lane is lost. Default: 0. One action causes at most two losses, so that no node is given up. */
  readonly losses?: number;
  /** `true` if answers are delayed, so that they arrive out of order. Default: `true`. */
  readonly delays?: boolean;
  /** Returns how many lanes may take chunks. Called each time that the engine asks. Default: all lanes. */
  readonly open?: (() => number) | undefined;
  readonly options?: Partial<LaneOptions>;
  /** Called after each expanded chunk, with the number of expanded chunks. */
  readonly onExpansion?: ((count: number) => unknown) | undefined;
}

interface Seat {
  runtime: LaneRuntime;
  cancel: () => void;
  close: () => Promise<void>;
  /** Resolves when the last chunk of the lane has ended. A lane runs its chunks one after another. */
  last: Promise<unknown>;
}

const KINDS: readonly LaneFailureKind[] = ["worker", "unreachable", "timeout"];

/** Several lanes in this thread, with worlds in memory. Their answers may be late, out of order, or missing. */
export class TestLanePool implements LanePool {
  readonly lanes: number;
  readonly depth: number;
  /** Number of lanes that were lost on purpose. */
  lost = 0;
  rebuilt = 0;
  /** Number of actions that lanes were asked to execute. */
  asked = 0;
  /** The finished cross-checks, as texts with their kind and path. */
  readonly checks: string[] = [];
  /** The paths of nodes whose states were written directly. */
  readonly written: Set<string> = new Set();
  #expansions = 0;
  readonly #options: LanesExpanderOptions;
  readonly #draws: Draws;
  readonly #seats: Seat[] = [];
  readonly #hits: Map<string, number> = new Map();
  #visited: VisitedSet | undefined;
  #knowledge: Knowledge = NOTHING_KNOWN;
  #cancelled = false;

  constructor(options: LanesExpanderOptions) {
    this.#options = options;
    this.lanes = options.lanes;
    this.depth = options.depth ?? 1;
    this.#draws = new Draws(options.seed ?? 0);
  }

  get capacity(): LaneCapacity {
    const { open, lanes } = this.#options;
    return open === undefined ? fixedCapacity(lanes) : { most: lanes, open: open(), chunkMs: 100, isElastic: true };
  }

  async start(): Promise<readonly LaneReport[]> {
    const reports: LaneReport[] = [];
    for (let lane = 0; lane < this.lanes; lane++) reports.push(await this.#seat(lane));
    return reports;
  }

  calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    return this.#seats[0]!.runtime.calibrate(walk);
  }

  learn(knowledge: Knowledge): Promise<readonly LaneReport[]> {
    this.#knowledge = knowledge;
    return this.start();
  }

  share(visited: VisitedSet): void {
    this.#visited = visited;
    for (const { runtime } of this.#seats) this.#look(runtime);
  }

  expand(lane: number, chunk: Chunk): Promise<Expansion> {
    const seat = this.#seats[lane]!;
    for (const { from, to } of chunk.units) this.asked += to - from;
    const answer = seat.last.then(() => this.#expand(lane, chunk));
    seat.last = answer.catch(() => undefined);
    return answer;
  }

  async rebuild(lane: number): Promise<LaneReport> {
    this.rebuilt++;
    const seat = this.#seats[lane]!;
    await seat.last;
    await seat.close();
    return this.#seat(lane);
  }

  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording> {
    // Other pools record on separate lanes. Here, the same lanes expand and record.
    const seat = this.#seats[lane]!;
    const recording = seat.last.then(() => seat.runtime.record(path, draws));
    seat.last = recording.catch(() => undefined);
    return recording;
  }

  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return this.#seats[lane]!.runtime.probe(path, draws);
  }

  async race(lane: number, request: RaceRequest): Promise<RaceAnswer> {
    const racing = new RaceLane(this.#seats[lane]!.runtime);
    try {
      return await racing.race(request);
    } finally {
      await racing.close();
    }
  }

  fault(lane: number, request: FaultRequest): Promise<FaultAnswer> {
    return tryFaults(this.#seats[lane]!.runtime, request);
  }

  cancel(): void {
    this.#cancelled = true;
    for (const seat of this.#seats) seat.cancel();
  }

  async close(): Promise<void> {
    for (const seat of this.#seats) await seat.close();
  }

  async #expand(lane: number, chunk: Chunk): Promise<Expansion> {
    await this.#delay();
    const cut = this.#cancelled ? undefined : this.#cut(chunk);
    const runtime = this.#seats[lane]!.runtime;
    const expansion = cut === undefined ? await runtime.expand(chunk) : await this.#lose(runtime, chunk, cut);
    for (const { check, path, snapshot } of chunk.units.slice(0, expansion.finished)) {
      if (check !== undefined) this.checks.push(`${check.merge ? "merge" : "both"} ${path.join()}`);
      else if (snapshot !== undefined && chunk.direct) this.written.add(path.join());
    }
    this.#options.onExpansion?.(++this.#expansions);
    await this.#delay();
    // The engine's choice of chunks and splits depends on measured durations, so tests have to cover all sizes.
    return { ...expansion, busyMs: chunk.units.length * this.#draws.pick([0.0001, 0.01, 0.3, 2, 40]) };
  }

  /** Returns the unit and action at which the lane is to be lost; `undefined` if it is not lost in this chunk. */
  #cut(chunk: Chunk): { readonly unit: number; readonly action: number } | undefined {
    if (!this.#draws.chance(this.#options.losses ?? 0)) return undefined;
    const unit = this.#draws.below(chunk.units.length);
    const { from, to, lo, hi } = chunk.units[unit]!;
    const action = from + this.#draws.below(to - from);
    const key = `${lo},${hi},${action}`;
    const hits = (this.#hits.get(key) ?? 0) + 1;
    if (hits > 2) return undefined;
    this.#hits.set(key, hits);
    return { unit, action };
  }

  async #lose(runtime: LaneRuntime, chunk: Chunk, cut: { readonly unit: number; readonly action: number }): Promise<Expansion> {
    this.lost++;
    const before = chunk.units.slice(0, cut.unit);
    const begun = { ...chunk.units[cut.unit]!, to: cut.action };
    const units = begun.to > begun.from ? [...before, begun] : before;
    const expansion = await runtime.expand({ ...chunk, units });
    if (expansion.failure !== undefined || this.#cancelled) return expansion;
    return { ...expansion, finished: cut.unit, failure: { kind: this.#draws.pick(KINDS), ...cut, message: "lost on purpose" } };
  }

  async #delay(): Promise<void> {
    if (this.#options.delays === false) return;
    if (this.#draws.chance(0.1)) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let turns = this.#draws.below(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  }

  async #seat(lane: number): Promise<LaneReport> {
    const { base, runtime, control } = await laneOf(
      this.#options.definition,
      { ...this.#options.options, knowledge: this.#knowledge },
      lane,
    );
    this.#look(runtime);
    if (this.#cancelled) control.cancel();
    const seat = { runtime, cancel: () => control.cancel(), close: () => base.world.close(), last: Promise.resolve() };
    this.#seats[lane] = seat;
    return base.report;
  }

  #look(runtime: LaneRuntime): void {
    const visited = this.#visited;
    if (visited !== undefined) runtime.visited = { has: (lo, hi) => visited.find(lo, hi) >= 0 };
  }
}
