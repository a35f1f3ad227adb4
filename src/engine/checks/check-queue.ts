import type { DoneCheck } from "../commit/commit-journal.ts";
import type { Committer } from "../commit/committer.ts";
import { KIND_BITS, BROKEN, drawsOf, KIND, ROW, type ExpansionCheck, type UnitRequest } from "../../messages/lane-messages.ts";
import { mix } from "../graph/mix.ts";
import { EXPANDED, UNCERTAIN } from "../graph/node-table.ts";
import type { NodeWork } from "../search/node-work.ts";

export interface CheckOptions {
  readonly seed: number;
  readonly actions: number;
  /**
   * The first `first` nodes after the root state are all selected for cross-checks. Each later node is selected with the probability 1/`oneIn`. If
   * `oneIn` is 0, no later nodes and no merges are selected.
   */
  readonly first: number;
  readonly oneIn: number;
  /** The depth at which nodes are no longer expanded. */
  readonly maxDepth: number;
  /**
   * `true` if every merge of equal states is audited, not only merges by a reduction. Set if the knowledge makes the state in which a value was
   * generated part of the value's name; see `contentOf`. This is done because merged states behaved differently, and that difference may have another
   * cause, so even equal states may behave differently.
   */
  readonly auditsAll?: boolean | undefined;
}

/** The cross-checks that an earlier session of a resumed run finished. */
interface Done {
  wasChecked(check: DoneCheck): boolean;
}

interface Merge {
  readonly from: number;
  readonly action: number;
  /** A hash that distinguishes the reached state from other states that a reduction merged with the same node. 0 if no reduction merged the state. */
  readonly reduced?: number | undefined;
  /** `true` if the merged states do not show which of their values belong together; see {@link ExpansionCheck.unlinked}. */
  readonly unlinked?: boolean | undefined;
}

type UnitTarget = Omit<UnitRequest, "path" | "draws" | "check">;

/** A further edge to a node that another edge reached before. The cross-check of the node executes the path that ends with this further edge. */
interface OtherWay {
  readonly from: number;
  readonly action: number;
  /**
   * `true` if a reduction merged the state of the further path with the node, because the path generated the same values in another order or in other
   * states.
   */
  readonly reduced: boolean;
  /** `true` if the node does not show which of its values belong together; see {@link ExpansionCheck.unlinked}. */
  readonly unlinked?: boolean | undefined;
  /** The maximum number of states after the node that the cross-check also compares. */
  readonly followed: number;
  /** `true` if the audit may be repeated with one second between the steps; see {@link ExpansionCheck.apart}. */
  readonly apart: boolean;
}

/**
 * Numbers that determine which merges by a reduction are audited:
 * - the first {@link AUDITS_ALL} merges of the search;
 * - the first {@link AUDITS_FIRST} merges at each depth;
 * - the 1st, 2nd, 4th, 8th and so on merge of each action, because an action that only renews harmless times could use up the audits of a depth;
 * - one in {@link AUDITS_ONE_IN} of all other merges.
 *
 * Repeated merges of the same two states count once. Steps that lead back to their own state are counted separately, because they leave out different
 * data.
 */
const AUDITS_ALL = 64;
const AUDITS_FIRST = 3;
const AUDITS_ONE_IN = 20;

/**
 * The number of states after the merged state that an audit also compares: {@link FOLLOWED_FAR} in the first audit of an action, and
 * {@link FOLLOWED_NEAR} in the first audits of a depth. Data that a merge left out, such as the price in a signed offer, may be used only some steps
 * later. In a small graph, the first audit of an action reaches every state behind the merged state. Each comparison executes all actions twice, so
 * the audits that go far execute at most {@link FAR_STEPS} steps in one search; one audit gets at most half of the steps that are left.
 */
const FOLLOWED_NEAR = 3;
const FOLLOWED_FAR = 30;
const FAR_STEPS = 2_000;

/**
 * Largest number of audits that may be repeated with one second between the steps. For each pair of actions, only the first audit of two paths that
 * end with these actions is repeated. A repetition takes a second for each step.
 */
const MOST_APART = 16;

/** Largest number of merges that are remembered, so that repeated merges count once. Remembering more merges would take too much memory. */
const MOST_MET = 100_000;

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
   * For each node that will be cross-checked along other paths: the last edges of these paths. The node's entry is removed when all outcomes of the
   * node are committed.
   */
  readonly #otherWays: Map<number, OtherWay[]> = new Map();
  /** The number of merges in each group; see {@link AUDITS_ALL}. A group contains the merges at one depth or of one action. */
  readonly #merges: Map<string, number> = new Map();
  /** The merges that were counted. Each number combines the node with a hash of the state that was merged with the node. */
  readonly #met: Set<number> = new Set();
  /** The pairs of last actions for which an audit is repeated; see {@link MOST_APART}. */
  readonly #apart: Set<string> = new Set();
  #counted = 0;
  /** Number of steps that were given to audits that go far. Such an audit may need fewer steps. */
  #farSteps = 0;
  audited = 0;
  /** Number of selected audits that did not compare their two states, because the audit is not finished or the states cannot be compared. */
  auditsLeft = 0;

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

  /**
   * Records in the run log that a check is finished, so that a resumed run does not repeat the check. `compared`: `false` if the two states could not
   * be compared. Such a check is not recorded, so that a resumed run tries it again.
   */
  done({ lo, hi, check }: UnitRequest, compared = true): void {
    const { journal, visited } = this.#committer;
    if (compared && check?.reduced === true) this.audited++;
    if (compared && check?.edge !== undefined) this.auditsLeft--;
    if (compared) journal?.checked({ node: visited.find(lo, hi), merge: check?.merge === true, edge: check?.edge });
  }

  /**
   * Records that a second path reached a state, and may select the second path for a check. `reduced`: a hash of the reached state, if the second
   * path generated its values in another order.
   */
  merged(to: number, { from, action, reduced: strict = 0, unlinked }: Merge, recorded?: Done): void {
    if (this.#options.oneIn === 0) return;
    const reduced = strict !== 0;
    const isExpanded = this.#committer.nodes.has(to, EXPANDED);
    const known = this.#otherWays.get(to);
    if (!this.#isAudited(reduced)) {
      if (!isExpanded && known === undefined && this.#draw(1, to) % this.#options.oneIn === 0)
        this.#otherWays.set(to, [{ from, action, reduced, followed: 0, apart: false }]);
      return;
    }
    const met = to * 2 ** 16 + strict;
    if (reduced && this.#met.has(met)) return;
    if (this.#met.size < MOST_MET) this.#met.add(met);
    const audit = this.#auditOf(to, { from, action, reduced });
    if (audit === undefined) return;
    const way = { from, action, reduced, unlinked, ...audit };
    if (recorded?.wasChecked(this.#doneOf(to, way)) === true) {
      if (reduced) this.audited++;
    } else if (isExpanded) this.#audit(to, way);
    else this.#otherWays.set(to, [...(known ?? []), way]);
  }

  /** Queues the audits of nodes that were never expanded, for example at the depth limit. Called when the search has ended. */
  finish(): void {
    for (const [node, ways] of this.#otherWays) for (const way of ways) if (this.#isAudited(way.reduced)) this.#audit(node, way);
    this.#otherWays.clear();
  }

  /**
   * Queues an audit, in which a lane expands the node along both of its paths and compares the outcomes. Both paths are executed, because the node's
   * first outcomes are no longer in memory.
   */
  #audit(node: number, way: OtherWay): void {
    const { nodes, visited } = this.#committer;
    if (nodes.depth(node) >= this.#options.maxDepth) return;
    if (nodes.has(node, UNCERTAIN)) {
      this.auditsLeft++;
      return;
    }
    const unit = this.#unitOf(visited.lo(node), visited.hi(node));
    this.#pushMerge(unit, node, way, undefined);
  }

  #auditOf(
    to: number,
    { from, action, reduced }: Pick<OtherWay, "from" | "action" | "reduced">,
  ): Pick<OtherWay, "followed" | "apart"> | undefined {
    const { nodes } = this.#committer;
    const isSelf = String(to === from);
    const atDepth = this.#count(`depth ${nodes.depth(from) + 1} ${isSelf}`);
    const ofAction = this.#count(`action ${action} ${isSelf}`);
    const isSelected =
      ++this.#counted <= AUDITS_ALL ||
      atDepth <= AUDITS_FIRST ||
      Number.isInteger(Math.log2(ofAction)) ||
      mix(this.#draw(2, to), this.#edgeOf({ from, action })) % AUDITS_ONE_IN === 0;
    if (!isSelected) return undefined;
    const ends = [action, nodes.action(to)].toSorted((a, b) => a - b).join();
    const apart = to !== from && to > 0 && this.#apart.size < MOST_APART && !this.#apart.has(ends);
    if (apart) this.#apart.add(ends);
    const isFollowed = reduced && nodes.depth(to) + 1 < this.#options.maxDepth;
    return { apart, followed: isFollowed ? this.#followed(ofAction === 1, atDepth <= AUDITS_FIRST) : 0 };
  }

  #followed(isFar: boolean, isNear: boolean): number {
    if (!isFar) return isNear ? FOLLOWED_NEAR : 0;
    const perState = 2 * this.#options.actions;
    const count = Math.min(FOLLOWED_FAR, Math.floor((FAR_STEPS - this.#farSteps) / 2 / perState));
    if (count <= FOLLOWED_NEAR) return FOLLOWED_NEAR;
    this.#farSteps += count * perState;
    return count;
  }

  #count(group: string): number {
    const count = (this.#merges.get(group) ?? 0) + 1;
    this.#merges.set(group, count);
    return count;
  }

  #edgeOf({ from, action }: Pick<OtherWay, "from" | "action">): number {
    return from * this.#options.actions + action;
  }

  /**
   * Returns `true` if every selected merge of this kind is audited. If `false`, only a sample of the merges is checked, and only if the node is not
   * expanded yet.
   */
  #isAudited(reduced: boolean): boolean {
    return reduced || this.#options.auditsAll === true;
  }

  #doneOf(node: number, way: OtherWay): DoneCheck {
    return { node, merge: true, ...(this.#isAudited(way.reduced) && { edge: this.#edgeOf(way) }) };
  }

  #draw(salt: number, node: number): number {
    const { visited } = this.#committer;
    return mix(mix(this.#options.seed + salt, visited.lo(node)), visited.hi(node));
  }

  /** Queues the selected checks of a node whose outcomes are all committed. `direct`: `true` if nodes can be reached by snapshot. */
  expanded(node: number, work: NodeWork, direct: boolean): void {
    const sampled = this.#sampled(node);
    const written = direct && work.snapshot !== undefined;
    // The node was reached by replay already, so a check by replay would compare equal executions. Record this check as done, for a resumed run.
    if (sampled && !written) this.#committer.journal?.checked({ node, merge: false });
    this.#take(node, work, sampled && written, this.#otherWaysTo(node));
  }

  /**
   * Queues the checks that an earlier session did not finish, for a node whose outcomes were all recommitted. `direct`: `true` if nodes can be
   * reached by snapshot.
   */
  recalled(node: number, work: NodeWork, direct: boolean, recorded: Done): void {
    const both = direct && this.#sampled(node) && !recorded.wasChecked({ node, merge: false });
    const left = this.#otherWaysTo(node).filter((way) => {
      const isDone = recorded.wasChecked(this.#doneOf(node, way));
      if (isDone && way.reduced) this.audited++;
      return !isDone;
    });
    this.#take(node, work, both, left);
  }

  #otherWaysTo(node: number): readonly OtherWay[] {
    const ways = this.#otherWays.get(node) ?? [];
    this.#otherWays.delete(node);
    return ways;
  }

  #take(node: number, work: NodeWork, both: boolean, otherWays: readonly OtherWay[]): void {
    if (!both && otherWays.length === 0) return;
    const expected = this.#committer.nodes.has(node, UNCERTAIN) ? undefined : rowsOf(work, this.#options.actions);
    if (expected === undefined) {
      // Without the outcomes of the node, the two states of a merge cannot be compared. The verdict then says that these merges were not audited.
      for (const way of otherWays) if (this.#isAudited(way.reduced)) this.auditsLeft++;
      return;
    }
    const unit = this.#unitOf(work.lo, work.hi);
    if (both) this.#pending.push({ ...unit, ...this.#own(node), check: { expected, merge: false } });
    for (const way of otherWays) this.#pushMerge(unit, node, way, expected);
  }

  #pushMerge(unit: UnitTarget, node: number, way: OtherWay, expected: ExpansionCheck["expected"]): void {
    const { reduced, unlinked, followed, apart } = way;
    const { maxDepth } = this.#options;
    const { edge } = this.#doneOf(node, way);
    const check: ExpansionCheck = {
      expected,
      along: this.#own(node),
      merge: true,
      ...(edge !== undefined && { edge }),
      ...(reduced && { reduced }),
      ...(unlinked === true && { unlinked }),
      ...(followed > 0 && { followed: { states: followed, deepest: Math.min(maxDepth, Number.MAX_SAFE_INTEGER) } }),
      ...(reduced && apart && { apart }),
    };
    if (edge !== undefined) this.auditsLeft++;
    this.#pending.push({ ...unit, ...this.#second(way, node), check });
  }

  #unitOf(lo: number, hi: number): UnitTarget {
    return { from: 0, to: this.#options.actions, lo, hi, uncertain: false, snapshot: undefined, suspect: undefined };
  }

  #own(node: number): Pick<UnitRequest, "path" | "draws"> {
    const { nodes } = this.#committer;
    return { path: nodes.path(node), draws: nodes.draws(node) };
  }

  /**
   * Returns the second path to a node, and the paths that determine the test data of its steps. The steps to the node use the data of the second
   * path. The node's own actions use the data of the node's first path, so that their outcomes can be compared.
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
 * Copies the rows with the outcomes of a node's actions. Returns `undefined` if the target crashed or timed out after an action, because a check
 * would only repeat this failure.
 */
function rowsOf(work: NodeWork, actions: number): Int32Array | undefined {
  const rows = new Int32Array(actions * ROW);
  for (let action = 0; action < actions; action++) {
    const at = work.at(action);
    if ((work.rows[at + KIND]! & KIND_BITS) === BROKEN) return undefined;
    rows.set(work.rows.subarray(at, at + ROW), action * ROW);
  }
  return rows;
}
