import type { DoneCheck } from "../commit/commit-journal.ts";
import type { Committer } from "../commit/committer.ts";
import { BROKEN, drawsOf, KIND, ROW, type ExpansionCheck, type UnitRequest } from "../../messages/lane-messages.ts";
import { mix } from "../graph/mix.ts";
import { EXPANDED, UNCERTAIN } from "../graph/node-table.ts";
import type { NodeWork } from "../search/node-work.ts";

export interface CheckOptions {
  readonly seed: number;
  readonly actions: number;
  /** Selects the nodes for cross-checks: the `first` nodes all, and later nodes with the probability 1/`oneIn`. `oneIn: 0`: no later nodes. */
  readonly first: number;
  readonly oneIn: number;
  /** The depth at which nodes are no longer expanded. */
  readonly maxDepth: number;
}

/** The cross-checks that an earlier session of a resumed run made. */
interface Done {
  wasChecked(check: DoneCheck): boolean;
}

/** A further edge to a node that another edge reached before. The cross-check of the node goes along this edge. */
interface OtherWay {
  readonly from: number;
  readonly action: number;
  /** `true` if the further path generated values in another order or in other states, so that a reduction merged its state with the node. */
  readonly reduced: boolean;
  /** `true` if states after the node are compared, too. */
  readonly followed: boolean;
}

/**
 * At each depth, this many merges by a reduction are all audited. Of the later merges, one in {@link AUDITS_ONE_IN} is audited. The first audit
 * also compares states after the merged one. Steps that lead back to their own state are counted separately.
 */
const AUDITS_FIRST = 3;
const AUDITS_ONE_IN = 20;

/**
 * Selects committed nodes for cross-checks, and queues these checks. A check expands a node again: by replay if the node was reached by snapshot, or
 * along the second path if two paths were merged at the node. The seed and the state decide which nodes are selected. The queue is separate from
 * other work, so checks never delay commits.
 */
export class CheckQueue {
  readonly #options: CheckOptions;
  readonly #committer: Committer;
  readonly #pending: UnitRequest[] = [];
  /**
   * For each node whose second path will be cross-checked: the last edge of that path. A node is only listed until all its outcomes are committed.
   */
  readonly #otherWays: Map<number, OtherWay> = new Map();
  /** The number of audits by depth and by whether the merged step leads back to its own state. */
  readonly #auditedAt: Map<string, number> = new Map();
  audited = 0;

  constructor(options: CheckOptions, committer: Committer) {
    this.#options = options;
    this.#committer = committer;
  }

  get size(): number {
    return this.#pending.length;
  }

  next(most: number): readonly UnitRequest[] {
    return this.#pending.splice(0, most);
  }

  again(unit: UnitRequest): void {
    this.#pending.push(unit);
  }

  /** Records in the run log that a check is finished, so that a resumed run does not repeat the check. */
  done({ lo, hi, check }: UnitRequest): void {
    const { journal, visited } = this.#committer;
    if (check?.reduced === true) this.audited++;
    journal?.checked({ node: visited.find(lo, hi), merge: check?.merge === true });
  }

  /** Records that a second path reached a state, and may select this path for a check. `reduced`: the path generated values in another order. */
  merged(to: number, from: number, action: number, reduced = false, recorded?: Done): void {
    if (this.#options.oneIn === 0 || this.#otherWays.has(to)) return;
    const isExpanded = this.#committer.nodes.has(to, EXPANDED);
    if (reduced) {
      const audit = this.#auditOf(to, from);
      if (audit === undefined) return;
      const way = { from, action, reduced, ...audit };
      if (!isExpanded) this.#otherWays.set(to, way);
      else if (recorded?.wasChecked({ node: to, merge: true }) !== true) this.#audit(to, way);
      else this.audited++;
    } else if (!isExpanded && this.#draw(1, to) % this.#options.oneIn === 0)
      this.#otherWays.set(to, { from, action, reduced, followed: false });
  }

  /** Queues the audits of nodes that were never expanded, for example at the depth limit. Called when the search has ended. */
  finish(): void {
    for (const [node, way] of this.#otherWays) if (way.reduced) this.#audit(node, way);
    this.#otherWays.clear();
  }

  /**
   * Queues an audit: a lane expands the node along both of its paths and compares the outcomes. Both are executed, because the node's first outcomes
   * are no longer in memory.
   */
  #audit(node: number, way: OtherWay): void {
    const { nodes, visited } = this.#committer;
    if (nodes.has(node, UNCERTAIN) || nodes.depth(node) >= this.#options.maxDepth) return;
    const unit = this.#unitOf(visited.lo(node), visited.hi(node));
    this.#pending.push({ ...unit, ...this.#second(way, node), check: this.#mergeCheck(node, way, undefined) });
  }

  #auditOf(to: number, from: number): Pick<OtherWay, "followed"> | undefined {
    const { nodes } = this.#committer;
    // A step that only renews values leads back to its own state. Such steps and others are counted separately, because they leave out different data.
    const kind = `${nodes.depth(from) + 1} ${String(to === from)}`;
    const known = this.#auditedAt.get(kind) ?? 0;
    if (known >= AUDITS_FIRST && this.#draw(2, to) % AUDITS_ONE_IN !== 0) return undefined;
    this.#auditedAt.set(kind, known + 1);
    return { followed: known === 0 && nodes.depth(to) + 1 < this.#options.maxDepth };
  }

  #draw(salt: number, node: number): number {
    const { visited } = this.#committer;
    return mix(mix(this.#options.seed + salt, visited.lo(node)), visited.hi(node));
  }

  /** Queues the selected checks of a node whose outcomes are all committed. `direct`: `true` if nodes can be reached by snapshot. */
  expanded(node: number, work: NodeWork, direct: boolean): void {
    const sampled = this.#sampled(node);
    const written = direct && work.image !== undefined;
    // The node was reached by replay already, so a check by replay would compare equal executions. Record the check as done, for a resumed run.
    if (sampled && !written) this.#committer.journal?.checked({ node, merge: false });
    this.#take(node, work, sampled && written, this.#otherWay(node));
  }

  /**
   * Queues the checks that an earlier session did not finish, for a node whose outcomes were all recommitted. `direct`: `true` if nodes can be
   * reached by snapshot.
   */
  recalled(node: number, work: NodeWork, direct: boolean, recorded: Done): void {
    const otherWay = this.#otherWay(node);
    const both = direct && this.#sampled(node) && !recorded.wasChecked({ node, merge: false });
    const wasAudited = otherWay !== undefined && recorded.wasChecked({ node, merge: true });
    if (wasAudited && otherWay.reduced) this.audited++;
    this.#take(node, work, both, wasAudited ? undefined : otherWay);
  }

  #otherWay(node: number): OtherWay | undefined {
    const otherWay = this.#otherWays.get(node);
    if (otherWay !== undefined) this.#otherWays.delete(node);
    return otherWay;
  }

  #take(node: number, work: NodeWork, both: boolean, otherWay: OtherWay | undefined): void {
    if ((!both && otherWay === undefined) || this.#committer.nodes.has(node, UNCERTAIN)) return;
    const expected = rowsOf(work, this.#options.actions);
    if (expected === undefined) return;
    const unit = this.#unitOf(work.lo, work.hi);
    if (both) this.#pending.push({ ...unit, ...this.#own(node), check: { expected, merge: false } });
    if (otherWay === undefined) return;
    this.#pending.push({ ...unit, ...this.#second(otherWay, node), check: this.#mergeCheck(node, otherWay, expected) });
  }

  #mergeCheck(node: number, { reduced, followed }: OtherWay, expected: ExpansionCheck["expected"]): ExpansionCheck {
    return { expected, along: this.#own(node), merge: true, ...(reduced && { reduced }), ...(followed && { followed }) };
  }

  #unitOf(lo: number, hi: number): Omit<UnitRequest, "path" | "draws" | "check"> {
    return { from: 0, to: this.#options.actions, lo, hi, uncertain: false, image: undefined, suspect: undefined };
  }

  #own(node: number): Pick<UnitRequest, "path" | "draws"> {
    const { nodes } = this.#committer;
    return { path: nodes.path(node), draws: nodes.draws(node) };
  }

  /**
   * Returns the second path to a node, and the paths from which its data is drawn. The steps to the node use the data of the second path. The node's
   * own actions use the data of the node's first path, so that their outcomes can be compared.
   */
  #second({ from, action }: OtherWay, node: number): Required<Pick<UnitRequest, "path" | "draws">> {
    const { nodes } = this.#committer;
    const first = this.#own(from);
    return { path: [...first.path, action], draws: [...drawsOf(first), nodes.home(node)] };
  }

  #sampled(node: number): boolean {
    const { first, oneIn, seed } = this.#options;
    const { visited } = this.#committer;
    return node > 0 && (node <= first || (oneIn > 0 && mix(mix(seed, visited.lo(node)), visited.hi(node)) % oneIn === 0));
  }
}

/**
 * Copies the rows with the outcomes of a node's actions. Returns `undefined` if an action breaks the target, since a check would break the target
 * again.
 */
function rowsOf(work: NodeWork, actions: number): Int32Array | undefined {
  const rows = new Int32Array(actions * ROW);
  for (let action = 0; action < actions; action++) {
    const at = work.at(action);
    if ((work.rows[at + KIND]! & 0xff) === BROKEN) return undefined;
    rows.set(work.rows.subarray(at, at + ROW), action * ROW);
  }
  return rows;
}
