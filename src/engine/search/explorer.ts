import { STRATEGIES, type StrategyTraits } from "../../model/declare/search/strategy.ts";
import type { StubUse } from "../../model/stores/store-adapter.ts";
import type { Divergence, StopReason } from "../../model/results/result.ts";
import { ReorderBuffer, type Assignment } from "./reorder-buffer.ts";
import { CheckQueue } from "../checks/check-queue.ts";
import { CheckRounds } from "../checks/check-rounds.ts";
import { CommitJournal } from "../commit/commit-journal.ts";
import { Committer } from "../commit/committer.ts";
import { DetailLog } from "../commit/commit-details.ts";
import { seenViolation, type FoundViolation } from "../findings/finding-log.ts";
import { DivergenceLog } from "../commit/divergence-log.ts";
import { EndlessChains, type Chain } from "./endless-chains.ts";
import { drain, stuckLane, LanePosts } from "./lane-posts.ts";
import type { LanePool } from "../lane-pool.ts";
import type { ExplorerOptions } from "./explorer-options.ts";
import { recommit, type Recorded } from "../commit/recommit.ts";
import { foundEvent } from "../findings/found-event.ts";
import { SnapshotStore } from "../graph/snapshot-store.ts";
import { firstWrites, lateWalks, type LateWalk } from "./late-walks.ts";
import { LaneRebuilds } from "./lane-rebuilds.ts";
import {
  KIND_BITS,
  KIND,
  lateWrite,
  SKIPPED,
  type CounterColumn,
  type Expansion,
  type LaneDivergence,
  type LaneFailure,
  type LaneReport,
  type UnitRequest,
} from "../../messages/lane-messages.ts";
import { EXPANDED } from "../graph/node-table.ts";
import { Occurred } from "../commit/occurred-keys.ts";
import { orderOf, type Frontier } from "../frontiers/index.ts";
import { ProgressMeter } from "./progress-meter.ts";
import { Scheduler } from "./scheduler.ts";
import { ShardCut } from "../shards/shard-partition.ts";
import { TimeLimit } from "./time-limit.ts";
import { UnitTries } from "./unit-tries.ts";
import { KNOWN } from "./node-work.ts";

export type { ExplorerOptions } from "./explorer-options.ts";

/** Milliseconds after which the search pauses, so that this thread can handle timers and signals. */
const TURN_MS = 100;
/**
 * Times in milliseconds for watching the stores for late writes: after the first step of one action, and after the first steps of all actions
 * together.
 */
const LONG_WATCH_MS = 500;
const LONG_WATCHES_MS = 1_500;
/** Number of commits after which the clock is read, to check the time limit. */
const CLOCK_EVERY = 256;
/** Largest number of violations seen by cross-checks that are kept. The number is limited because each of these violations is replayed at the end. */
const MOST_SEEN = 20;
/** Largest number of notes about lanes that are started again because a state differs. */
const DIRTY_NOTES = 3;

/**
 * The search on the main thread. The search runs the strategy's sequential algorithm, but takes outcomes from a buffer that lanes fill in advance. An
 * out-of-order processor works in the same way: instructions are executed in any order and retired in order. The results are therefore deterministic,
 * and budgets are kept exactly.
 */
export class Explorer {
  readonly committer: Committer;
  readonly divergences: DivergenceLog;
  readonly order: Frontier;
  readonly traits: StrategyTraits;
  readonly reorderBuffer: ReorderBuffer;
  stopReason: StopReason | undefined;
  /** `true` once a violation was committed that is not listed as a known finding. */
  #foundNew = false;
  replayed = 0;
  crossChecked = 0;
  /** Number of finished audits: merges by a reduction that were checked by executing both paths. */
  get audited(): number {
    return this.#checks.audited;
  }

  /** Number of merges that were selected for an audit, but whose two states were not compared, for example for lack of time. */
  get auditsLeft(): number {
    return this.#checks.auditsLeft;
  }

  /**
   * The divergence at which the exploration ended, because it shows a generated value that seqqa did not recognise. The exploration starts again
   * after an experiment has found the generated value.
   */
  lesson: LaneDivergence | undefined;
  /** The columns of counters from which a state got several new ids that no row of the state contains. In the order of commits. */
  readonly spent: Set<CounterColumn> = new Set();
  /** The counter of {@link spent} because of which the search ended. The search starts again with a store that does not restore this counter. */
  endlessCounter: CounterColumn | undefined;
  /** Violations that cross-checks saw and that the search did not commit. */
  readonly seen: FoundViolation[] = [];
  /** The error that ended the run early, for example because a lane could not be rebuilt. */
  fatal: unknown;
  readonly occurred: Occurred = new Occurred();
  /** The answers of described operations to committed steps and to `setup`, as codes of `operationCode`. */
  readonly calls: Set<number> = new Set();
  /** The stored data of the earlier sessions of a resumed run. `undefined` for a new run. */
  readonly earlier: Pick<Recorded, "operations"> | undefined;
  /** `true` if a target sends an answer in two packets. */
  twoPackets = false;
  /**
   * For each action: how long lanes waited for the next second, because the action had issued the same token twice in one second. In milliseconds.
   */
  readonly waitedMs: Map<string, number> = new Map();
  /** A message for each cookie that a client rejected, on all lanes. */
  readonly rejectedCookies: Set<string> = new Set();
  /** For each store that plays a third party: the target's calls to the store, on all lanes. */
  readonly stubs: Map<string, StubUse> = new Map();
  readonly cut: ShardCut | undefined;
  readonly limit: TimeLimit;
  readonly #options: ExplorerOptions;
  readonly #lanePool: LanePool;
  readonly #scheduler: Scheduler;
  readonly #meter: ProgressMeter;
  readonly #posts: LanePosts;
  readonly #rebuilds: LaneRebuilds;
  /** Number of lanes that were started again because their state differed from the expected state. */
  #dirtyRebuilds = 0;
  readonly tries: UnitTries;
  readonly chains: EndlessChains;
  /** The repeated execution of an endless chain. `undefined` if none is in progress. */
  #lookingAtChain: Promise<void> | undefined;
  readonly #checks: CheckQueue;
  /** `true` after the last step of the search. */
  #isSearched = false;
  readonly #rounds: CheckRounds;
  #direct: boolean;
  /** `true` once the search has ended. Answers of lanes that arrive later are ignored. */
  #isOver = false;
  #sinceClock = 0;
  /** The stored outcomes of an earlier session. `undefined` unless they are being recommitted. */
  #recorded: Recorded | undefined;

  constructor(options: ExplorerOptions, lanePool: LanePool, startedAt: number) {
    this.#options = options;
    this.earlier = options.recorded;
    this.#lanePool = lanePool;
    this.#direct = options.direct;
    this.limit = new TimeLimit(options.maxTimeMs, startedAt);
    this.cut = options.shard === undefined ? undefined : new ShardCut(options.shard);
    this.traits = STRATEGIES[options.strategy];
    this.order = orderOf(options.strategy, options.actions.length, options.seed);
    this.committer = new Committer({
      actions: options.actions,
      ownActions: options.ownActions,
      maxDepth: options.maxDepth,
      violationPolicy: options.violationPolicy,
      relaxes: options.maxDepth !== Infinity && !this.traits.isShortestFirst,
      shapes: this.traits.needsShapes,
      details: options.details === undefined ? undefined : new DetailLog(options.details),
      spill: options.spill,
      journal: options.journal === true ? new CommitJournal() : undefined,
      open: (node, opened) => this.order.open(node, opened),
      moved: (node) => this.reorderBuffer.drop(node),
      onStep: options.onStep,
      onViolation: (found) => {
        this.#foundNew ||= !options.isKnown(found);
        options.onEvent(foundEvent(options, found, this.committer.steps));
      },
    });
    // Without a queue, the frontier may return to any state, and reading a whole batch back for a single snapshot would take longer than a replay.
    const snapshots = new SnapshotStore(this.order.queue === undefined ? undefined : options.spill);
    this.reorderBuffer = new ReorderBuffer(options.actions.length, this.committer.nodes, snapshots);
    this.divergences = new DivergenceLog(options.actions);
    const { most, chunkMs } = lanePool.capacity;
    this.#scheduler = new Scheduler({
      actions: options.actions.length,
      mostLanes: most,
      lanes: () => Math.max(this.#open, 1),
      chunkMs,
      maxDepth: options.maxDepth,
      order: this.order,
      reorderBuffer: this.reorderBuffer,
      visited: this.committer.visited,
      nodes: this.committer.nodes,
    });
    this.#checks = new CheckQueue(
      { seed: options.seed, actions: options.actions.length, maxDepth: options.maxDepth, ...options.crossCheck },
      this.committer,
    );
    this.chains = new EndlessChains(options.actions);
    this.#posts = new LanePosts(most);
    this.#rounds = new CheckRounds({
      checks: this.#checks,
      atOnce: () => this.#scheduler.replayedNodes,
      post: (lane, units, take) => this.#post(lane, units, take),
      measured: (lane, { replayed, checked, busyMs }) => {
        this.replayed += replayed;
        this.crossChecked += checked;
        this.#meter.busy(lane, busyMs);
      },
      diverged: (divergence) => this.#diverged(divergence),
      rebuild: (lane, failure) => this.#rebuild(lane, failure),
    });
    this.#rebuilds = new LaneRebuilds({ lanePool, divergences: this.divergences, abandoned: () => this.#abandoned });
    this.tries = new UnitTries(this.reorderBuffer, this.divergences);
    this.#meter = new ProgressMeter(this, options, startedAt);
  }

  /** Explores from the root state that the lanes reported. Ends when no states are left or a limit is reached. */
  async run(root: LaneReport): Promise<void> {
    this.#rebuilds.root = root;
    this.committer.root(root);
    this.occurred.root(root);
    for (const code of root.calls ?? []) this.calls.add(code);
    this.reorderBuffer.adoptRoot(root.snapshot);
    this.#lanePool.share(this.committer.visited);
    if (this.#foundNew && this.#options.stopOnFirstViolation) this.stopReason = "first_violation";
    if (this.#options.recorded !== undefined) await this.#recommit(this.#options.recorded);
    const abort = (): void => this.#stop("interrupted");
    this.#options.signal?.addEventListener("abort", abort, { once: true });
    if (this.#options.signal?.aborted === true) abort();
    const timer = setInterval(() => this.#tick(), 100);
    let turnedAt = performance.now();
    try {
      while (this.stopReason === undefined) {
        this.#commitReady();
        if (this.stopReason !== undefined) break;
        this.#dispatch();
        if (!this.#isElastic && !this.#posts.any)
          throw new Error("The search has nothing left to wait for, but has not ended. This is a defect of seqqa: please report it.");
        await this.#posts.wait();
        // A lane in this thread with its world in memory never waits for I/O. Pause the search, so that this thread can handle timers and signals.
        if (performance.now() - turnedAt > TURN_MS) {
          await new Promise((resolve) => setImmediate(resolve));
          turnedAt = performance.now();
        }
      }
      this.#meter.emit(true);
      await this.#finishChecks();
      await this.#watchLate().catch((error: unknown) => {
        const message = `seqqa could not check whether the target writes after its answers: ${error instanceof Error ? error.message : String(error)}`;
        this.#options.onEvent({ kind: "note", message });
      });
    } finally {
      clearInterval(timer);
      this.#options.signal?.removeEventListener("abort", abort);
      this.#lanePool.cancel();
      const graceMs = this.limit.graceMs(this.stopReason === "interrupted");
      if (this.#isElastic) await this.#lookingAtChain;
      for (const lane of await drain(this.#posts, this.#lanePool, graceMs, this.#rebuilds)) this.divergences.add(stuckLane(lane));
      this.#isOver = true;
    }
  }

  async #recommit(recorded: Recorded): Promise<void> {
    const { committer, order, reorderBuffer } = this;
    this.#recorded = recorded;
    if (committer.journal !== undefined) committer.journal.recording = false;
    await recommit(recorded, {
      committer,
      order,
      reorderBuffer,
      commit: () => this.#commitReady(),
      stopReason: () => this.stopReason,
      signal: this.#options.signal,
    });
    this.#recorded = undefined;
    if (committer.journal !== undefined) committer.journal.recording = true;
    committer.details?.resume(recorded.characters);
    this.replayed = recorded.replayed;
    this.crossChecked = recorded.crossChecked;
    this.restore(recorded.divergences);
  }

  /** Adds divergences that were found before this exploration began, or in an earlier session of the run. */
  restore(divergences: readonly Divergence[]): void {
    this.divergences.restore(divergences);
    // A divergence of a cross-check shows that the target remembers more than a snapshot contains. From now on, reach all nodes by replay.
    if (divergences.some(({ kind }) => kind === "cross_check")) this.#direct = false;
  }

  /** Number of executed steps that are not committed yet. */
  get speculative(): number {
    return Math.max(this.reorderBuffer.executed - this.committer.steps, 0);
  }

  get busy(): readonly number[] {
    return this.#posts.held.slice(0, this.#open);
  }

  get #open(): number {
    return Math.min(this.#lanePool.capacity.open, this.#posts.held.length);
  }

  get #isElastic(): boolean {
    return this.#lanePool.capacity.isElastic;
  }

  /** Commits every outcome that is known and next in the order of the strategy. */
  #commitReady(): void {
    const { actions, maxSteps, stopOnFirstViolation } = this.#options;
    const { committer, order, reorderBuffer } = this;
    while (this.stopReason === undefined) {
      if (!order.peek()) return this.#stop(this.#reachedBound() ? "max_depth" : "exhausted");
      const node = order.ref;
      if (this.cut?.isForeign(node, order, committer.nodes, committer.visited) === true) {
        for (let action = 0; action < actions.length; action++) order.take();
        reorderBuffer.drop(node);
        reorderBuffer.finish(node);
        continue;
      }
      const action = order.action;
      const work = reorderBuffer.get(node);
      if (work === undefined || work.state(action) !== KNOWN) return;
      const at = work.at(action);
      const skipped = (work.rows[at + KIND]! & KIND_BITS) === SKIPPED;
      if (!skipped && committer.steps >= maxSteps) return this.#stop("max_steps");
      const stepEvents = work.stepEvents?.get(action);
      const committed = committer.commit(node, action, { rows: work.rows, at, stepEvents, detail: work.details?.get(action) });
      const names = work.occurrences?.get(action);
      if (names !== undefined) this.occurred.add(names);
      for (const code of work.calls?.get(action) ?? []) this.calls.add(code);
      if (!skipped) reorderBuffer.committed();
      if (committed.fresh && !committed.blocked && this.#options.saidChains !== undefined)
        this.chains.reached(committer.nodes, node, action, committed.to);
      if (committed.opened) reorderBuffer.adopt(committed.to, node, action);
      else if (work.children !== undefined) reorderBuffer.dropPredicted(work, action);
      const isMerged = committed.to >= 0 && (committed.to !== node || committed.reduced);
      if (isMerged && !committed.fresh && !committed.opened && !committed.blocked)
        this.#checks.merged(
          committed.to,
          { from: node, action, reduced: committed.reduced ? committed.check : 0, unlinked: committed.unlinked },
          this.#recorded,
        );
      work.commit(action, actions.length);
      order.take();
      if (!order.nodewise ? work.settled(actions.length) : action === actions.length - 1) {
        committer.nodes.flag(node, EXPANDED);
        // If some outcomes are missing, a check has nothing to compare with.
        if (!work.isPartial) {
          if (this.#recorded !== undefined) this.#checks.recalled(node, work, this.#options.direct, this.#recorded);
          else this.#checks.expanded(node, work, this.#direct);
        }
        reorderBuffer.finish(node);
      }
      if (this.#foundNew && stopOnFirstViolation) this.#stop("first_violation");
      else if (committer.steps >= maxSteps && !order.peek()) this.#stop(this.#reachedBound() ? "max_depth" : "exhausted");
      const spent = stepEvents?.spent;
      if (spent !== undefined && committed.fresh && !committed.blocked && this.#recorded === undefined) this.#takeSpent(spent);
      if (++this.#sinceClock >= CLOCK_EVERY) this.#tick();
    }
  }

  /**
   * Records counters with many spent ids in {@link spent}. Ends the search at the first counter for which `canLeave` and
   * {@link ExplorerOptions.leavesCounter} are true.
   */
  #takeSpent(counters: readonly string[]): void {
    for (const counter of counters) {
      const column = this.#rebuilds.root?.counterColumns?.find((one) => one.counter === counter);
      if (column === undefined || this.spent.has(column)) continue;
      this.spent.add(column);
      if (!column.canLeave || this.#options.leavesCounter?.(counter) !== true) continue;
      this.endlessCounter ??= column;
      this.#stop("interrupted");
    }
  }

  #dispatch(): void {
    const { committer, reorderBuffer } = this;
    this.#sendChain();
    for (let chunks = 0; chunks < this.#lanePool.depth; chunks++) {
      this.#scheduler.round();
      const open = this.#open;
      for (let lane = 0; lane < open; lane++) {
        if (this.#posts.held[lane]! > chunks || this.#rebuilds.has(lane) || this.#isKept(lane)) continue;
        const left = this.#options.maxSteps - committer.steps;
        const allowance = left - reorderBuffer.buffered - reorderBuffer.underWay;
        const idle = this.#posts.held.filter((held, other) => other < open && held <= chunks && !this.#rebuilds.has(other)).length;
        const assignments = this.#rounds.due(lane) ? [] : this.#scheduler.next(lane, left, allowance, idle);
        if (assignments.length > 0) this.#send(lane, assignments);
        else this.#rounds.send(lane);
      }
    }
  }

  #send(lane: number, assignments: readonly Assignment[]): void {
    for (const assignment of assignments) this.reorderBuffer.begin(assignment);
    const units = assignments.map((assignment) => this.reorderBuffer.request(assignment, { suspect: this.tries.suspected(assignment) }));
    this.#post(lane, units, (expansion) => this.#receive(lane, assignments, expansion));
  }

  /** Sends units to a lane. The lane counts as busy until `take` has processed the answer. An error in `take` ends the run. */
  #post(lane: number, units: readonly UnitRequest[], take: (expansion: Expansion) => Promise<void>): void {
    const details = this.committer.details?.wanted(this.committer.edges.size, this.committer.visited.size);
    const answer = this.#lanePool.expand(lane, { units, direct: this.#direct, details, occurred: this.occurred.asked });
    this.#addPost(lane, answer.then(take));
  }

  #addPost(lane: number, work: Promise<void>): void {
    const taken = work.catch((error: unknown) => {
      // The interruption of a run makes its work fail. Such a failure is not an error.
      if (this.stopReason !== "interrupted" || this.#options.signal?.aborted !== true) this.fatal ??= error;
      this.#stop("interrupted");
    });
    this.#posts.add(lane, taken);
  }

  /**
   * Returns `true` if the lane is the first lane and must get no other work, because an endless chain waits to be executed on this lane. Returns
   * `false` for an elastic pool, which executes the search on other lanes.
   */
  #isKept(lane: number): boolean {
    return lane === 0 && !this.#isElastic && this.chains.next() !== undefined;
  }

  /** Executes the next endless chain again, if there is one and the first lane is free. */
  #sendChain(): void {
    const isFree = this.#isElastic || (this.#posts.held[0] === 0 && !this.#rebuilds.has(0));
    const chain = this.#lookingAtChain !== undefined || !isFree ? undefined : this.chains.next();
    if (chain === undefined) return;
    const work = this.#lookAt(chain).finally(() => {
      this.#lookingAtChain = undefined;
      this.#posts.wake();
    });
    this.#lookingAtChain = work;
    if (!this.#isElastic) this.#addPost(0, work);
  }

  async #lookAt({ path, draws }: Chain): Promise<void> {
    const recording = await this.#lanePool.record(0, path, draws).catch((error: unknown) => {
      return { failure: "dirty", why: error instanceof Error ? error.message : String(error) } as const;
    });
    const isLost = recording.failure !== undefined;
    const note = this.chains.ran(isLost ? undefined : recording);
    if (note !== undefined && this.#options.saidChains?.has(note) === false) {
      this.#options.saidChains.add(note);
      this.#options.onEvent({ kind: "note", message: note });
    }
    // An elastic pool does not use the first lane for the search, so the first lane need not be rebuilt now. Later work starts a target itself.
    if (!isLost || this.#abandoned || this.#isElastic) return;
    const message = "why" in recording ? recording.why : "seqqa could not execute a path again up to its end";
    await this.#rebuild(0, { kind: recording.failure, unit: -1, action: 0, message });
  }

  /** Number of cross-checks that wait for a lane, after the last step of the search. `null` while the search executes steps. */
  get checksLeft(): number | null {
    return this.#isSearched ? this.#checks.size : null;
  }

  /** Executes the remaining cross-checks after the search has explored everything or has used up its steps. */
  async #finishChecks(): Promise<void> {
    this.#isSearched = true;
    this.#checks.finish();
    while (
      !this.#abandoned &&
      this.#meter.elapsedMs < this.#options.maxTimeMs &&
      (this.#checks.size > 0 || this.#posts.any || this.#lookingAtChain !== undefined || this.chains.next() !== undefined) &&
      this.fatal === undefined &&
      this.lesson === undefined &&
      this.#options.signal?.aborted !== true
    ) {
      this.#sendChain();
      for (let lane = 0; lane < this.#open; lane++) {
        if (this.#posts.held[lane] !== 0 || this.#rebuilds.has(lane) || this.#isKept(lane)) continue;
        this.#rounds.send(lane);
      }
      if (this.#isElastic || this.#posts.any) await this.#posts.wait();
    }
  }

  /**
   * Executes some paths again and waits for late writes at the end of each path, since the search itself may miss late writes. Takes about two
   * seconds, plus a twenty-fifth of the time of the search. Watches the stores for up to half a second after the first step of each action, and for
   * less after other steps.
   */
  async #watchLate(): Promise<void> {
    const { calibrate } = this.#options;
    if (
      calibrate === undefined ||
      this.#abandoned ||
      this.fatal !== undefined ||
      this.lesson !== undefined ||
      this.divergences.all.length > 0
    )
      return;
    const { nodes, visited } = this.committer;
    const firsts = firstWrites(this.committer);
    const watched: LateWalk[] = [];
    const watchMs = Math.min(LONG_WATCH_MS, LONG_WATCHES_MS / firsts.length);
    const isLate = async ({ from, action, to }: LateWalk, ms?: number): Promise<boolean> => {
      const path = [...nodes.path(from), action];
      const { late } = await calibrate({ path, late: { lo: visited.lo(to), hi: visited.hi(to) }, watchMs: ms });
      for (const one of late) this.#diverged({ ...lateWrite(one, path), calls: path });
      return late.length > 0;
    };
    const isOver = (untilMs: number): boolean =>
      this.#meter.elapsedMs > Math.min(untilMs, this.#options.maxTimeMs) || this.#options.signal?.aborted === true;
    const begunMs = this.#meter.elapsedMs;
    for (const walk of firsts) {
      if (isOver(begunMs * 1.02 + LONG_WATCHES_MS)) break;
      if (await isLate(walk, watchMs)) return;
      watched.push(walk);
    }
    const untilMs = this.#meter.elapsedMs + begunMs * 0.02 + 600;
    for (const walk of lateWalks(this.committer, watched)) if (isOver(untilMs) || (await isLate(walk))) return;
  }

  async #receive(lane: number, assignments: readonly Assignment[], expansion: Expansion): Promise<void> {
    if (this.#isOver) return;
    const before = this.reorderBuffer.executed;
    this.reorderBuffer.receive(assignments, expansion);
    this.replayed += expansion.replayed;
    this.twoPackets ||= expansion.twoPackets === true;
    for (const { action, ms } of expansion.waited ?? []) this.waitedMs.set(action, (this.waitedMs.get(action) ?? 0) + ms);
    for (const message of expansion.rejectedCookies ?? []) this.rejectedCookies.add(message);
    for (const { name, wasCalled, unmatched } of expansion.stubs ?? []) {
      const before = this.stubs.get(name);
      const all = [...new Set([...(before?.unmatched ?? []), ...unmatched])];
      this.stubs.set(name, { wasCalled: wasCalled || before?.wasCalled === true, unmatched: all });
    }
    const executed = this.reorderBuffer.executed - before;
    this.#scheduler.measured(expansion.busyMs, executed);
    this.#meter.busy(lane, expansion.busyMs, executed);
    for (const divergence of expansion.divergences) this.#diverged(divergence);
    this.#posts.wake();
    const { failure } = expansion;
    const culprit = assignments[failure?.unit ?? -1];
    // If the time is up, still count the failure: a request that was still waiting at that moment must be reported.
    if (failure === undefined || (this.#abandoned && this.stopReason !== "max_time")) return;
    if (culprit !== undefined && !this.#rebuilds.has(lane)) this.tries.count({ ...culprit, from: failure.action }, failure);
    if (!this.#abandoned) await this.#rebuild(lane, failure);
  }

  #rebuild(lane: number, { kind, message, target }: LaneFailure): Promise<void> {
    return this.#rebuilds.rebuild(lane, () => {
      this.#meter.rebuilt(lane);
      // A target whose states differ each time causes a rebuild at nearly each step.
      if (kind === "dirty" && ++this.#dirtyRebuilds > DIRTY_NOTES + 1) return;
      const isLast = kind === "dirty" && this.#dirtyRebuilds > DIRTY_NOTES;
      const note = `seqqa starts lane ${lane} again: ${message}${isLast ? ". seqqa does not report more lanes that it starts again because a state differs" : ""}`;
      this.#options.onEvent({ kind: "note", message: note, failure: message, target });
    });
  }

  /** `true` if the run ended before the search had explored everything or had used up its steps. */
  get #abandoned(): boolean {
    return (
      this.stopReason !== undefined && this.stopReason !== "exhausted" && this.stopReason !== "max_steps" && this.stopReason !== "max_depth"
    );
  }

  #diverged(divergence: LaneDivergence): void {
    for (const one of divergence.seen ?? []) if (this.seen.length < MOST_SEEN) this.seen.push(seenViolation(one, this.#options.actions));
    if (this.#options.learns === true && divergence.calls !== undefined) {
      this.lesson ??= divergence;
      return this.#stop("interrupted");
    }
    if (this.divergences.add(divergence)) {
      this.#options.onEvent({ kind: "note", message: divergence.message });
    }
    // A divergence of a cross-check shows that the target remembers more than a snapshot contains. From now on, reach every node by replay, since a
    // replay also repeats what the target remembers.
    if (divergence.kind !== "cross_check" || !this.#direct) return;
    this.#direct = false;
    // Keep committed outcomes, but drop outcomes that were executed in states written from snapshots.
    if (this.stopReason === undefined) this.reorderBuffer.dropAll();
  }

  #reachedBound(): boolean {
    return this.committer.deepest >= this.#options.maxDepth && this.committer.boundary() > 0;
  }

  #tick(): void {
    this.#sinceClock = 0;
    if (this.#recorded !== undefined) return;
    if (this.#meter.elapsedMs >= this.#options.maxTimeMs) this.#stop("max_time");
    this.#meter.emit(false);
    this.#options.onCommits?.();
    // Lanes of other processes may have joined, so wake the search to give them work.
    if (this.#isElastic) this.#posts.wake();
  }

  #stop(reason: StopReason): void {
    this.stopReason ??= reason;
    this.#posts.wake();
  }
}
