import { SeqqaError } from "../model/errors.ts";
import type { Strategy } from "../model/strategy.ts";
import type { StopReason } from "../model/result.ts";
import { endText } from "../model/target-end.ts";
import { differences } from "../state/index.ts";
import { Backlog, type Assignment } from "./backlog.ts";
import { CheckQueue } from "./check-queue.ts";
import { Committer } from "./committer.ts";
import { DetailLog, type DetailLimits } from "./details.ts";
import { DivergenceLog } from "./divergence-log.ts";
import type { ExplorationEvent } from "./events.ts";
import type { Expander } from "./expander.ts";
import type { FoundViolation } from "./finding-log.ts";
import { KIND, SKIPPED, type Expansion, type LaneFailure, type LaneFailureKind, type LaneReport, type UnitRequest } from "./messages.ts";
import { EXPANDED } from "./node-table.ts";
import { orderOf, type Order } from "./orders/index.ts";
import { ProgressMeter } from "./progress-meter.ts";
import { sameRoot } from "./same-root.ts";
import { Scheduler } from "./scheduler.ts";
import { KNOWN, UNKNOWN } from "./work.ts";

export interface ExplorerOptions {
  readonly name: string;
  readonly actions: readonly string[];
  readonly strategy: Strategy["kind"];
  readonly maxSteps: number;
  /** `Infinity`: none. */
  readonly maxDepth: number;
  /** Milliseconds; `Infinity`: none. */
  readonly maxTimeMs: number;
  readonly stopOnFirstViolation: boolean;
  /** Whether a violation is no reason to stop. */
  readonly isKnown: (found: FoundViolation) => boolean;
  readonly seed: number;
  /** States may be written directly where all stores allow it; `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** How many of the first nodes are expanded both ways, and one in how many later. 0: none. */
  readonly crossCheck: { readonly first: number; readonly oneIn: number };
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** What is kept of single edges and states; `undefined`: nothing. */
  readonly details?: DetailLimits | undefined;
  /** Called every few hundred commits and ten times a second, for whoever writes down what was committed. */
  readonly onCommits?: (() => void) | undefined;
}

/** Tries at a unit before it is given up. */
const TRIES = 3;
/** Milliseconds between two tries at building a lane. */
const PAUSES_MS = [250, 4000] as const;
/** Chunks that a lane works on between two checks. */
const BETWEEN_CHECKS = 8;
/** Milliseconds after which everything else in this thread gets a turn. */
const TURN_MS = 100;
/** Commits between two looks at the clock. */
const CLOCK_EVERY = 256;

/**
 * The main thread of an exploration. It runs the sequential algorithm of the strategy, but takes the outcomes from a buffer that
 * lanes fill ahead of it, like an out-of-order processor that retires in order: that one idea gives determinism, exact budgets
 * and an exact stop. See `run` for the stages.
 */
export class Explorer {
  readonly committer: Committer;
  readonly divergences: DivergenceLog;
  readonly order: Order;
  readonly backlog: Backlog;
  stopReason: StopReason | undefined;
  /** A violation was committed that is not known. */
  #foundNew = false;
  replayed = 0;
  crossChecked = 0;
  /** What ended the run although the strategy would have gone on: a lane that could not be rebuilt. */
  fatal: unknown;
  readonly #options: ExplorerOptions;
  readonly #expander: Expander;
  readonly #scheduler: Scheduler;
  readonly #meter: ProgressMeter;
  readonly #busy: number[];
  /** Lanes that are being built anew. */
  readonly #rebuilds: (Promise<unknown> | undefined)[];
  readonly #tries: Map<string, { kind: LaneFailureKind; count: number }> = new Map();
  readonly #checks: CheckQueue;
  readonly #sinceCheck: number[] = [];
  #direct: boolean;
  #root: LaneReport | undefined;
  #wake: (() => void) | undefined;
  #sinceClock = 0;

  constructor(options: ExplorerOptions, expander: Expander, startedAt: number) {
    this.#options = options;
    this.#expander = expander;
    this.#direct = options.direct;
    this.order = orderOf(options.strategy, options.actions.length, options.seed);
    this.committer = new Committer({
      actions: options.actions,
      maxDepth: options.maxDepth,
      relaxes: options.maxDepth !== Infinity && options.strategy !== "bfs",
      shapes: options.strategy === "coverage_guided",
      details: options.details === undefined ? undefined : new DetailLog(options.details),
      open: (node, opened) => this.order.open(node, opened),
      moved: (node) => this.backlog.drop(node),
      onViolation: (found) => {
        const { finding, path } = found;
        this.#foundNew ||= !options.isKnown(found);
        const names = path.map((action) => options.actions[action]!);
        options.onEvent({ kind: "violation", invariant: finding.invariant, severity: finding.severity, path: names });
      },
    });
    this.backlog = new Backlog(options.actions.length, this.committer.nodes);
    this.divergences = new DivergenceLog(options.actions);
    this.#scheduler = new Scheduler({
      actions: options.actions.length,
      lanes: expander.lanes,
      maxDepth: options.maxDepth,
      order: this.order,
      backlog: this.backlog,
      visited: this.committer.visited,
    });
    this.#checks = new CheckQueue({ seed: options.seed, actions: options.actions.length, ...options.crossCheck }, this.committer);
    this.#busy = new Array<number>(expander.lanes).fill(0);
    this.#rebuilds = new Array<undefined>(expander.lanes).fill(undefined);
    this.#meter = new ProgressMeter(this, options, startedAt);
  }

  /** Explores from the root that the lanes reported, until the strategy or a budget is used up. */
  async run(root: LaneReport): Promise<void> {
    this.#root = root;
    this.committer.root(root);
    this.backlog.adoptRoot(root.image);
    this.#expander.share(this.committer.visited);
    if (this.#foundNew && this.#options.stopOnFirstViolation) this.stopReason = "first_violation";
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
        if (this.#busy.every((chunks) => chunks === 0)) throw new Error("The engine has nothing to wait for; this is a defect of seqqa.");
        await new Promise<void>((resolve) => (this.#wake = resolve));
        // A lane in this thread whose world is in memory never waits: timers and signals would not be heard.
        if (performance.now() - turnedAt > TURN_MS) {
          await new Promise((resolve) => setImmediate(resolve));
          turnedAt = performance.now();
        }
      }
      this.#meter.emit(true);
      await this.#finishChecks();
    } finally {
      clearInterval(timer);
      this.#options.signal?.removeEventListener("abort", abort);
      this.#expander.cancel();
      while (this.#busy.some((chunks) => chunks > 0)) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Steps executed ahead and not committed. */
  get speculative(): number {
    return Math.max(this.backlog.executed - this.committer.steps, 0);
  }

  /** Frontier for the progress line. */
  get busy(): readonly number[] {
    return this.#busy;
  }

  /** Commits everything that is next in order and known. */
  #commitReady(): void {
    const { actions, maxSteps, stopOnFirstViolation } = this.#options;
    const { committer, order, backlog } = this;
    while (this.stopReason === undefined) {
      if (!order.peek()) {
        this.#stop(this.#reachedBound() ? "max_depth" : "exhausted");
        return;
      }
      const node = order.ref;
      const action = order.action;
      const work = backlog.get(node);
      if (work === undefined || work.state(action) !== KNOWN) return;
      const at = work.at(action);
      const skipped = (work.rows[at + KIND]! & 0xff) === SKIPPED;
      if (!skipped && committer.steps >= maxSteps) {
        this.#stop("max_steps");
        return;
      }
      const committed = committer.commit(node, action, work.rows, at, work.news?.get(action), work.details?.get(action));
      if (!skipped) backlog.committed();
      if (committed.opened) backlog.adopt(committed.to, node, action);
      else if (work.children !== undefined) backlog.dropPredicted(work, action);
      if (!committed.fresh && !committed.opened && committed.to > 0 && committed.to !== node && !committed.found)
        this.#checks.merged(committed.to, node, action);
      work.commit(action, actions.length);
      order.take();
      if (!order.nodewise ? work.settled(actions.length) : action === actions.length - 1) {
        committer.nodes.flag(node, EXPANDED);
        this.#checks.expanded(node, work, this.#direct);
        backlog.finish(node);
      }
      if (this.#foundNew && stopOnFirstViolation) this.#stop("first_violation");
      else if (committer.steps >= maxSteps && !order.peek()) this.#stop(this.#reachedBound() ? "max_depth" : "exhausted");
      if (++this.#sinceClock >= CLOCK_EVERY) this.#tick();
    }
  }

  #dispatch(): void {
    const { committer, backlog } = this;
    for (let chunks = 0; chunks < this.#expander.depth; chunks++) {
      this.#scheduler.round();
      for (let lane = 0; lane < this.#busy.length; lane++) {
        if (this.#busy[lane]! > chunks || this.#rebuilds[lane] !== undefined) continue;
        const left = this.#options.maxSteps - committer.steps;
        const allowance = left - backlog.buffered - backlog.underWay;
        const idle = this.#busy.filter((held, other) => held <= chunks && this.#rebuilds[other] === undefined).length;
        const assignments = this.#checkDue(lane) ? [] : this.#scheduler.next(lane, left, allowance, idle);
        if (assignments.length > 0) this.#send(lane, assignments);
        else {
          const unit = this.#checks.next();
          if (unit !== undefined) this.#sendCheck(lane, unit);
        }
      }
    }
  }

  /** A lane takes a check between chunks now and then, and whenever it has nothing else to do. */
  #checkDue(lane: number): boolean {
    if (this.#checks.size === 0) return false;
    this.#sinceCheck[lane] = (this.#sinceCheck[lane] ?? 0) + 1;
    if (this.#sinceCheck[lane] <= BETWEEN_CHECKS) return false;
    this.#sinceCheck[lane] = 0;
    return true;
  }

  #send(lane: number, assignments: readonly Assignment[]): void {
    for (const assignment of assignments) this.backlog.begin(assignment);
    const units = assignments.map((assignment) => {
      const { work, from } = assignment;
      return this.backlog.request(assignment, { suspect: suspected(this.#tries.get(tryKey(work.lo, work.hi, from))) });
    });
    this.#post(lane, units, (expansion) => this.#receive(lane, assignments, expansion));
  }

  /** Sends a check; what it finds is reported, and nothing is committed by it. */
  #sendCheck(lane: number, unit: UnitRequest): void {
    this.#post(lane, [unit], async ({ divergences, replayed, checked, busyMs, failure }) => {
      this.replayed += replayed;
      this.crossChecked += checked;
      this.#meter.busy(lane, busyMs);
      for (const divergence of divergences) this.#diverged(divergence);
      if (failure === undefined) return;
      this.#checkFailed(unit, failure);
      await this.#rebuild(lane, failure);
    });
  }

  /** The lane counts as busy until its answer is taken in; what fails then ends the run. */
  #post(lane: number, units: readonly UnitRequest[], take: (expansion: Expansion) => Promise<void>): void {
    this.#busy[lane]!++;
    void this.#expander
      .expand(lane, {
        units,
        direct: this.#direct,
        details: this.committer.details?.wanted(this.committer.edges.size, this.committer.visited.size),
      })
      .then(take)
      .catch((error: unknown) => {
        // What does not come up any more after an interruption was given up because of it.
        if (this.stopReason !== "interrupted" || this.#options.signal?.aborted !== true) this.fatal ??= error;
        this.#stop("interrupted");
      })
      .finally(() => {
        this.#busy[lane]!--;
        this.#wake?.();
      });
  }

  /** A check that did not come through is made once more on a fresh lane; a path that leads elsewhere then is what it looked for. */
  #checkFailed(unit: UnitRequest, { kind, message, differences }: LaneFailure): void {
    if (unit.suspect === undefined) this.#checks.again({ ...unit, suspect: kind });
    else if (kind === "dirty") {
      const merge = unit.check?.merge === true;
      this.#diverged({
        kind: merge ? "merge" : "cross_check",
        path: unit.path,
        message: `A path could not be executed again: ${message}`,
        differences: differences ?? [],
      });
    }
  }

  /** What was sampled and is not compared yet, once the strategy or a budget of steps is used up. */
  async #finishChecks(): Promise<void> {
    while (
      !this.#abandoned &&
      this.#meter.elapsedMs < this.#options.maxTimeMs &&
      (this.#checks.size > 0 || this.#busy.some((chunks) => chunks > 0)) &&
      this.fatal === undefined &&
      this.#options.signal?.aborted !== true
    ) {
      for (let lane = 0; lane < this.#busy.length; lane++) {
        if (this.#busy[lane] !== 0 || this.#rebuilds[lane] !== undefined) continue;
        const unit = this.#checks.next();
        if (unit !== undefined) this.#sendCheck(lane, unit);
      }
      if (this.#busy.some((chunks) => chunks > 0)) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #receive(lane: number, assignments: readonly Assignment[], expansion: Expansion): Promise<void> {
    const before = this.backlog.executed;
    this.backlog.receive(assignments, expansion);
    this.replayed += expansion.replayed;
    const executed = this.backlog.executed - before;
    this.#scheduler.measured(expansion.busyMs, executed);
    this.#meter.busy(lane, expansion.busyMs, executed);
    for (const divergence of expansion.divergences) this.#diverged(divergence);
    this.#wake?.();
    const { failure } = expansion;
    if (failure === undefined || this.#abandoned) return;
    const culprit = assignments[failure.unit];
    if (culprit !== undefined && this.#rebuilds[lane] === undefined) this.#countTry({ ...culprit, from: failure.action }, failure);
    await this.#rebuild(lane, failure);
  }

  async #rebuild(lane: number, failure: LaneFailure): Promise<void> {
    // A lane that is lost takes every chunk with it that it holds: they are not to blame, and it is built anew once.
    if (this.#rebuilds[lane] !== undefined) return void (await this.#rebuilds[lane]);
    this.#options.onEvent({ kind: "note", message: `Lane ${lane} is being rebuilt: ${failure.message}`, target: failure.target });
    this.#meter.rebuilt(lane);
    this.#rebuilds[lane] = this.#rebuildInTries(lane);
    await this.#rebuilds[lane].finally(() => (this.#rebuilds[lane] = undefined));
  }

  /** A target that dies while it starts is started again; only one that never comes up ends the run. */
  async #rebuildInTries(lane: number): Promise<LaneReport> {
    for (let tries = 1; ; tries++) {
      try {
        const report = await this.#expander.rebuild(lane);
        this.#compareRoot(lane, report);
        return report;
      } catch (error) {
        if (tries === TRIES || this.#abandoned) throw error;
        // A database server that was restarted takes a moment; what failed at once will hardly work at once.
        await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[tries - 1]));
        if (this.#abandoned) throw error;
      }
    }
  }

  /** A lane that is built anew begins where all began, or it is of no use. */
  #compareRoot(lane: number, report: LaneReport): void {
    const first = this.#root!;
    if (sameRoot(report, first)) return;
    const message = "A lane that was built anew begins in another state than before";
    this.divergences.add({
      kind: "root",
      path: [],
      message,
      differences: differences(first.rootLines, report.rootLines, 20),
      hint: "Make the target and setup start alike each time; list what differs by nature under ignore.",
    });
    throw new SeqqaError("ROOTS_DIFFER", `${message} (lane ${lane}).`);
  }

  /** The run ended for another reason than having committed all that was asked for. */
  get #abandoned(): boolean {
    return (
      this.stopReason !== undefined && this.stopReason !== "exhausted" && this.stopReason !== "max_steps" && this.stopReason !== "max_depth"
    );
  }

  #countTry(assignment: Assignment, { kind, message, differences, target }: LaneFailure): void {
    const { work, from } = assignment;
    const key = tryKey(work.lo, work.hi, from);
    const tried = this.#tries.get(key) ?? { kind, count: 0 };
    tried.kind = kind;
    tried.count++;
    this.#tries.set(key, tried);
    if (tried.count < TRIES || work.state(from) !== UNKNOWN) return;
    this.divergences.add({
      kind: kind === "worker" ? "lane" : "not_put_back",
      path: this.backlog.path(work),
      message: `The lane was lost ${TRIES} times at this state: ${message}${target === undefined ? "" : ` The target ${endText(target)}.`}`,
      differences: [...(differences ?? []), ...(target?.output ?? []).map((line) => `| ${line}`)].slice(-20),
    });
    this.backlog.fail(assignment);
  }

  #diverged(divergence: Expansion["divergences"][number]): void {
    if (this.divergences.add(divergence)) {
      this.#options.onEvent({ kind: "note", message: divergence.message });
    }
    // What can be written does not say everything that the target knows: from here on its memory is brought along by replay.
    if (divergence.kind !== "cross_check" || !this.#direct) return;
    this.#direct = false;
    // What is committed stands; what was executed ahead on written states is not taken.
    if (this.stopReason === undefined) this.backlog.dropAll();
  }

  #reachedBound(): boolean {
    return this.committer.deepest >= this.#options.maxDepth && this.committer.boundary() > 0;
  }

  #tick(): void {
    this.#sinceClock = 0;
    if (this.#meter.elapsedMs >= this.#options.maxTimeMs) this.#stop("max_time");
    this.#meter.emit(false);
    this.#options.onCommits?.();
  }

  #stop(reason: StopReason): void {
    this.stopReason ??= reason;
    this.#wake?.();
  }
}

/**
 * What a try is to confirm. A target that is gone is believed at the last try only: whatever ends targets from outside (a kill, the
 * machine's memory) can hit two lanes at once, and with them one call twice; a wrong finding would cost more than the third start.
 */
function suspected(tried: { readonly kind: LaneFailureKind; readonly count: number } | undefined): LaneFailureKind | undefined {
  if (tried === undefined) return undefined;
  return tried.kind === "unreachable" && tried.count < TRIES - 1 ? undefined : tried.kind;
}

function tryKey(lo: number, hi: number, from: number): string {
  return `${lo},${hi},${from}`;
}
