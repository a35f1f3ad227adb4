import type { ActionCoverage } from "../../model/results/result.ts";
import { BrokenRules, type ViolationPolicy } from "./broken-rules.ts";
import type { CommitJournal } from "./commit-journal.ts";
import type { DetailLog } from "./commit-details.ts";
import { Digest } from "../graph/digest.ts";
import { EdgeLog, type Edge } from "../graph/edge-log.ts";
import { FindingLog, type FoundViolation } from "../findings/finding-log.ts";
import {
  KIND_BITS,
  BOUNDED,
  BROKEN,
  CHECK_SHIFT,
  FAILED,
  FINDING,
  HI,
  KIND,
  LO,
  REDUCED,
  REFUSED,
  RENEWED,
  SHAPE,
  SKIPPED,
  STATUS,
  UNLINKED,
  WROTE,
  type DetailEvent,
  type LaneReport,
  type StepEvent,
} from "../../messages/lane-messages.ts";
import { CLEAN, NodeTable, OPENED, UNCERTAIN } from "../graph/node-table.ts";
import type { TriedStep } from "../events.ts";
import type { Opened } from "../frontiers/index.ts";
import type { Spill } from "../graph/spill.ts";
import { InconclusiveLog } from "./inconclusive-log.ts";
import { VisitedSet } from "../graph/visited-set.ts";
import { shortStateId } from "../../model/results/state-id.ts";
import { mix } from "../graph/mix.ts";

export interface Committed {
  /** The node of the reached state. -1 if no state was reached. */
  to: number;
  /** `true` if no earlier step reached the state. */
  fresh: boolean;
  /** `true` if this step added the state to the frontier. */
  opened: boolean;
  /** `true` if the step has a violation after which the search does not continue. */
  blocked: boolean;
  /**
   * `true` if the state was reached before, but possibly with other values: either the path of this step generated the values in another order, or
   * the state does not show which values belong together.
   */
  reduced: boolean;
  /** `true` if `reduced` is set only because the state does not show which values belong together. The order of generation is then equal. */
  unlinked: boolean;
  /** A 16-bit hash that distinguishes the reached state from other states with the same fingerprint. 0 if there is no such hash. */
  check: number;
}

export interface CommitterOptions {
  readonly actions: readonly string[];
  /** Number of actions that the agent itself has. These actions are the first entries of `actions`; the other entries were added by rules. */
  readonly ownActions?: number | undefined;
  readonly maxDepth: number;
  /** The violations after which the search continues. Default: none. */
  readonly violationPolicy?: ViolationPolicy | undefined;
  /**
   * `true` if a later path may reach a state with fewer steps than the first path. All edges are then kept in memory, because a shorter path to a
   * state also shortens the paths to the states after it.
   */
  readonly relaxes: boolean;
  /** Called when a state joins the frontier. */
  readonly open: (node: number, opened: Opened) => void;
  /** Called when a state of the frontier gets a shorter path. */
  readonly moved: (node: number) => void;
  readonly onViolation: (found: FoundViolation) => void;
  readonly onStep?: ((step: TriedStep) => void) | undefined;
  /**
   * `true` if the strategy needs a hash of each state's structure, and needs to know which edges had a new combination of action, status and
   * structure.
   */
  readonly shapes: boolean;
  /** Keeps the details of single edges and states for reports. `undefined` if details are not needed. */
  readonly details?: DetailLog | undefined;
  /** Storage on disk for edges that do not fit into memory. `undefined`: all edges stay in memory. */
  readonly spill?: Spill | undefined;
  /** Collects every committed outcome for the run log. `undefined`: outcomes are not stored. */
  readonly journal?: CommitJournal | undefined;
}

export interface ReportedStep {
  /** Rows that a lane sent. The row of this step begins at index `at`. */
  readonly rows: Int32Array;
  readonly at: number;
  readonly stepEvents?: StepEvent | undefined;
  readonly detail?: DetailEvent | undefined;
}

/**
 * Adds outcomes to the result, one at a time, in the order of the strategy. Only this class decides if a state or a finding is new. All statements of
 * the result about the committed graph come from the data of this class.
 */
export class Committer {
  readonly visited: VisitedSet = new VisitedSet();
  readonly nodes: NodeTable = new NodeTable();
  readonly edges: EdgeLog;
  readonly digest: Digest = new Digest();
  readonly findings: FindingLog = new FindingLog();
  readonly details: DetailLog | undefined;
  readonly journal: CommitJournal | undefined;
  steps = 0;
  skipped = 0;
  bounded = 0;
  /** Number of outcomes whose fingerprint equals that of a known state, although a second hash shows that the two states differ. */
  collisions = 0;
  /**
   * Number of outcomes whose state equals a known state except for the order in which its values were generated. Both count as one state, because this
   * order should not matter.
   */
  reductions = 0;
  /**
   * The part of {@link reductions} in which the values were generated in the same order, but the state does not show which values belong together.
   */
  unlinkedReductions = 0;
  /** Number of steps with a finding after which the state is unknown, because the call got no answer. */
  unanswered = 0;
  deepest = 0;
  readonly unjudged: InconclusiveLog = new InconclusiveLog();
  readonly #options: CommitterOptions;
  readonly #skips: Int32Array;
  /**
   * For each action: the number of steps in which a writing request worked ({@link WROTE}) and seqqa saw a change. `#unseenWrites` counts the steps in
   * which seqqa saw no change after such a request.
   */
  readonly #seenWrites: Int32Array;
  readonly #unseenWrites: Int32Array;
  /**
   * For each action: the number of steps in which a writing request worked, and which led back to their own state with only generated
   * values or times renewed. These steps are not counted in `#seenWrites` and `#unseenWrites`.
   */
  readonly #renewingWrites: Int32Array;
  /**
   * `true` if a step without a successful writing request also renewed values, for example a session cookie. A renewal then does not show that a
   * write had an effect.
   */
  #readsRenew = false;
  readonly #statuses: Map<number, number>[];
  /** For each action: the number of steps whose answer was 2xx, with a body that refuses the request ({@link REFUSED}). */
  readonly #refusals: Int32Array;
  readonly #seenEdges: Set<string> = new Set();
  /** Hashes of the structure of states at the depth limit. Such a hash is needed if a shorter path later adds the state to the frontier. */
  readonly #shapes: Map<number, number> = new Map();
  readonly #rows: Map<number, Int32Array> = new Map();
  readonly #committed: Committed = { to: -1, fresh: false, opened: false, blocked: false, reduced: false, unlinked: false, check: 0 };
  readonly #broken: BrokenRules | undefined;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.edges = new EdgeLog(options.spill);
    this.details = options.details;
    this.journal = options.journal;
    this.#broken = options.violationPolicy === undefined ? undefined : new BrokenRules(options.violationPolicy);
    this.#skips = new Int32Array(options.actions.length);
    this.#seenWrites = new Int32Array(options.actions.length);
    this.#unseenWrites = new Int32Array(options.actions.length);
    this.#renewingWrites = new Int32Array(options.actions.length);
    this.#refusals = new Int32Array(options.actions.length);
    this.#statuses = options.actions.map(() => new Map<number, number>());
  }

  root(report: LaneReport): void {
    const node = this.visited.add(report.rootLo, report.rootHi, report.rootCheck);
    this.nodes.add(-1, -1, 0);
    if (report.rootState !== undefined) this.details?.addState(node, report.rootState);
    for (const finding of report.findings) {
      this.digest.addText(finding.invariant);
      const found = this.findings.addViolation({
        finding,
        lastAction: "",
        status: 0,
        path: [],
        state: node,
        stepEvents: undefined,
        draws: undefined,
      });
      if (found !== undefined) this.#options.onViolation(found);
    }
    for (const error of report.errors) this.findings.addError(error, []);
    this.#broken?.root(report.findings.map(({ invariant }) => invariant));
    if (report.findings.length > 0 && this.#broken?.passes(report.findings) !== true) return;
    this.nodes.flag(node, CLEAN | OPENED);
    this.#options.open(node, { lo: report.rootLo, hi: report.rootHi, shape: report.shape, novel: true });
  }

  /** Commits the outcome of one action in one node. The returned object is reused by the next call. */
  commit(node: number, action: number, { rows, at, stepEvents, detail }: ReportedStep): Committed {
    const committed = this.#committed;
    committed.to = -1;
    committed.fresh = false;
    committed.opened = false;
    committed.blocked = false;
    committed.reduced = false;
    committed.unlinked = false;
    const bits = rows[at + KIND]!;
    const kind = bits & KIND_BITS;
    if (kind === SKIPPED) {
      this.skipped++;
      this.#skips[action]!++;
      this.digest.add(node, action, -2, 0);
      this.journal?.add({ from: node, action, to: -1, rows, at }, stepEvents);
      if (stepEvents !== undefined) this.#takeNews(stepEvents, stepEvents.findings, { from: node, action, status: 0, to: -1 });
      return committed;
    }
    this.steps++;
    const status = rows[at + STATUS]!;
    const statuses = this.#statuses[action]!;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if ((bits & REFUSED) !== 0) this.#refusals[action]!++;
    const lo = rows[at + LO]!;
    const hi = rows[at + HI]!;
    const found = (bits & FINDING) !== 0;
    committed.check = bits >>> CHECK_SHIFT;
    if (kind !== FAILED && kind !== BROKEN) {
      committed.to = this.visited.find(lo, hi);
      if (committed.to < 0) {
        committed.to = this.visited.add(lo, hi, bits >>> CHECK_SHIFT);
        committed.fresh = true;
        const depth = this.nodes.depth(node) + 1;
        this.nodes.add(node, action, depth);
        if (depth > this.deepest) this.deepest = depth;
        if ((bits & BOUNDED) !== 0) {
          this.bounded++;
          this.nodes.flag(committed.to, UNCERTAIN);
        }
      } else {
        const differs = this.visited.differs(committed.to, bits >>> CHECK_SHIFT);
        // No hash shows if the two paths linked the values differently. Treat the states as different if their paths end with different actions.
        const isUnlinked = (bits & UNLINKED) !== 0 && committed.to !== node;
        if (isUnlinked) committed.check = 1 + (mix(committed.check, action) % 0xffff);
        committed.unlinked = isUnlinked && !differs;
        committed.reduced = isUnlinked || (differs && (bits & REDUCED) !== 0);
        if (differs && !committed.reduced) this.collisions++;
        // A state at the depth limit is never expanded, so merging such a state does not rely on the reduction.
        if (committed.reduced && this.nodes.depth(committed.to) < this.#options.maxDepth) {
          this.reductions++;
          if (committed.unlinked) this.unlinkedReductions++;
        }
      }
    }
    const renews = committed.to === node && (committed.reduced || (bits & RENEWED) !== 0);
    if ((bits & WROTE) === 0) this.#readsRenew ||= renews;
    else (renews ? this.#renewingWrites : committed.to === node ? this.#unseenWrites : this.#seenWrites)[action]!++;
    const findings = stepEvents?.findings ?? NONE;
    const fresh = this.#broken?.step(node, action, committed.to, committed.fresh, findings) ?? findings;
    committed.blocked = found && this.#broken?.passes(fresh) !== true;
    if (found && committed.to < 0) this.unanswered++;
    const clean = !committed.blocked && committed.to >= 0;
    this.journal?.add({ from: node, action, to: committed.to, rows, at }, stepEvents);
    if (this.details !== undefined) this.#keepDetails(committed, detail, stepEvents);
    this.#options.onStep?.({
      from: node,
      fromName: this.#nameOf(node),
      toName: this.#nameOf(committed.to),
      action: this.#options.actions[action]!,
      status,
      to: committed.to,
      isNew: committed.fresh,
      isFinding: found,
      exchanges: detail?.exchanges ?? stepEvents?.exchanges ?? [],
      state: detail?.state,
    });
    const edge: Edge = { from: node, action, to: committed.to, status, clean, found };
    this.edges.add(edge);
    this.digest.add(node, action, committed.to, (Math.trunc(status / 100) << 8) | (kind << 1) | (found ? 1 : 0));
    if (stepEvents !== undefined) this.#takeNews(stepEvents, fresh, edge);
    if (this.#options.relaxes && committed.to >= 0) this.#remember(node, action, committed.to, clean);
    if (clean) {
      const before = this.nodes.has(committed.to, OPENED);
      this.#reach(committed.to, node, action, rows[at + SHAPE]!, status);
      committed.opened = !before && this.nodes.has(committed.to, OPENED);
    }
    return committed;
  }

  /** Returns the number of states that were not expanded only because of the depth limit. */
  boundary(): number {
    let count = 0;
    for (let node = 0; node < this.nodes.size; node++) if (this.nodes.has(node, CLEAN) && !this.nodes.has(node, OPENED)) count++;
    return count;
  }

  /** Returns `true` if a writing request of the action worked ({@link WROTE}) in any committed step. */
  writes(action: number): boolean {
    return this.#seenWrites[action]! + this.#unseenWrites[action]! + this.#renewingWrites[action]! > 0;
  }

  /** Returns `true` if a writing request of the action worked in any committed step that only renewed generated values or times. */
  renews(action: number): boolean {
    return this.#renewingWrites[action]! > 0;
  }

  coverage(): Record<string, ActionCoverage> {
    const coverage: Record<string, ActionCoverage> = {};
    this.#options.actions.forEach((name, action) => {
      const sorted = [...this.#statuses[action]!].toSorted((a, b) => a[0] - b[0]);
      const applied = sorted.reduce((sum, [, count]) => sum + count, 0);
      const brought = action < (this.#options.ownActions ?? Infinity) ? {} : { brought: true as const };
      const unseen = this.#unseenWritesOf(action);
      const refused = this.#refusals[action]!;
      coverage[name] = {
        applied,
        skipped: this.#skips[action]!,
        statuses: Object.fromEntries(sorted),
        ...brought,
        ...(refused > 0 && { refusedInBody: refused }),
        ...(unseen > 0 && { unseenWrites: unseen }),
      };
    });
    return coverage;
  }

  /** Returns the number of an action's successful writes if seqqa saw none of their changes. Returns 0 if seqqa saw a change. */
  #unseenWritesOf(action: number): number {
    const renewing = this.#renewingWrites[action]!;
    const seen = this.#seenWrites[action]! + (this.#readsRenew ? 0 : renewing);
    return seen > 0 ? 0 : this.#unseenWrites[action]! + renewing;
  }

  #nameOf(node: number): string {
    return node < 0 ? "" : shortStateId({ lo: this.visited.lo(node), hi: this.visited.hi(node) });
  }

  /**
   * Adds a reached state to the frontier, or replaces the state's path if the path of this step is shorter. Only called for steps after which the
   * search continues.
   */
  #reach(to: number, from: number, action: number, shape: number, status: number): void {
    const nodes = this.nodes;
    const depth = nodes.depth(from) + 1;
    let novel = true;
    if (this.#options.shapes) {
      const key = `${action},${status},${shape}`;
      novel = !this.#seenEdges.has(key);
      this.#seenEdges.add(key);
    }
    if (nodes.has(to, OPENED)) {
      if (this.#options.relaxes && depth < nodes.depth(to)) this.#relax(to, from, action, depth);
      return;
    }
    // The state is not in the frontier: either only steps with blocking violations reached it, or it is at the depth limit. Use this step's path if
    // no earlier path is free of blocking violations, or if this path is shorter.
    if (!nodes.has(to, CLEAN) || depth < nodes.depth(to)) {
      nodes.move(to, from, action, depth);
      if (depth > this.deepest) this.deepest = depth;
    }
    nodes.flag(to, CLEAN);
    if (nodes.depth(to) < this.#options.maxDepth) this.#open(to, shape, novel);
    else if (this.#options.shapes && this.#options.relaxes) this.#shapes.set(to, shape);
  }

  #open(node: number, shape: number, novel: boolean): void {
    this.nodes.flag(node, OPENED);
    this.#shapes.delete(node);
    this.#options.open(node, { lo: this.visited.lo(node), hi: this.visited.hi(node), shape, novel });
  }

  /**
   * Stores the node that an edge reaches, in one number: `to` for an edge without a blocking violation, `~to - 1` for an edge with a blocking
   * violation, and -1 for an unknown edge.
   */
  #remember(node: number, action: number, to: number, clean: boolean): void {
    let rows = this.#rows.get(node);
    if (rows === undefined) this.#rows.set(node, (rows = new Int32Array(this.#options.actions.length).fill(-1)));
    rows[action] = clean ? to : ~to - 1;
  }

  /** Gives a shorter path to all states that can be reached from the node. Executes no step, since the edges are known. */
  #relax(node: number, from: number, action: number, depth: number): void {
    const pending: [number, number, number, number][] = [[node, from, action, depth]];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [to, parent, by, newDepth] = next;
      if (newDepth >= this.nodes.depth(to)) continue;
      this.nodes.move(to, parent, by, newDepth);
      if (!this.nodes.has(to, OPENED)) {
        if (newDepth < this.#options.maxDepth) this.#open(to, this.#shapes.get(to) ?? 0, false);
        continue;
      }
      this.#options.moved(to);
      const rows = this.#rows.get(to);
      if (rows === undefined) continue;
      for (let a = rows.length - 1; a >= 0; a--) {
        if (rows[a]! >= 0) pending.push([rows[a]!, to, a, newDepth + 1]);
        else if (rows[a]! < -1) this.#followParent(~(rows[a]! + 1), to, a, newDepth + 1);
      }
    }
  }

  /**
   * Updates the parent and the depth of a state that was only reached by steps with blocking violations. The depth must be one more than the parent's
   * depth, because the code that reads paths relies on this.
   */
  #followParent(node: number, parent: number, action: number, depth: number): void {
    const { nodes } = this;
    if (!nodes.has(node, CLEAN) && nodes.parent(node) === parent && nodes.action(node) === action) nodes.move(node, parent, action, depth);
  }

  /** Keeps the details of a step for reports. If the lane failed during the step, only the step events contain the requests. */
  #keepDetails({ to, fresh }: Committed, detail: DetailEvent | undefined, stepEvents: StepEvent | undefined): void {
    const exchanges = detail?.exchanges ?? stepEvents?.exchanges;
    if (exchanges !== undefined && exchanges.length > 0) this.details!.addExchanges(this.edges.size, exchanges);
    if (fresh && detail?.state !== undefined) this.details!.addState(to, detail.state);
  }

  /** Adds step events to the result. `findings`: the findings to report, without findings whose rules were broken before the step. */
  #takeNews(stepEvents: StepEvent, findings: StepEvent["findings"], edge: Pick<Edge, "from" | "action" | "status" | "to">): void {
    const { from, action, status } = edge;
    const path = [...this.nodes.path(from), action];
    const draws = this.nodes.draws(from);
    const state = edge.to < 0 ? null : edge.to;
    const lastAction = this.#options.actions[action]!;
    for (const { invariant } of stepEvents.findings) this.digest.addText(invariant);
    for (const finding of findings) {
      const found = this.findings.addViolation({ finding, lastAction, status, path, state, stepEvents, draws, from });
      if (found !== undefined) this.#options.onViolation(found);
    }
    for (const error of stepEvents.errors) this.findings.addError(error, path);
    if (stepEvents.unjudged !== undefined) this.unjudged.addStep(stepEvents.unjudged, edge);
  }
}

const NONE: readonly never[] = [];
