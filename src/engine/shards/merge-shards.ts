import { BREADTH_FIRST } from "../../model/declare/search/strategy.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { ViolationPolicy } from "../commit/broken-rules.ts";
import { CommitJournal, type JournalEvent } from "../commit/commit-journal.ts";
import { Committer } from "../commit/committer.ts";
import { DetailLog, type DetailLimits } from "../commit/commit-details.ts";
import type { Recorded } from "../commit/recommit.ts";
import { HI, LO, type LaneReport } from "../../messages/lane-messages.ts";
import { EXPANDED } from "../graph/node-table.ts";
import { orderOf } from "../frontiers/index.ts";
import { isShared, ownerOf, type Shard } from "./shard-partition.ts";
import { ShardRows } from "./shard-rows.ts";

export interface ShardRecord {
  readonly shard: Shard;
  readonly recorded: Recorded;
  /** Returns the text lines of a state, or `undefined` if they were not kept. */
  readonly state: (node: number) => readonly string[] | undefined;
  readonly exchanges: (edge: number) => readonly RecordedExchange[];
}

export interface MergeOptions {
  readonly actions: readonly string[];
  readonly maxDepth: number;
  readonly violationPolicy: ViolationPolicy | undefined;
  readonly shards: readonly ShardRecord[];
  readonly root: Pick<LaneReport, "findings" | "errors">;
  readonly details: DetailLimits;
  /** Called from time to time, so that the run log can store the new commits. */
  readonly onCommits: (committer: Committer) => void;
}

export interface Merged {
  readonly committer: Committer;
  readonly rows: ShardRows;
  /** States that no shard has expanded completely. */
  readonly open: ReadonlySet<number>;
  /**
   * Number of (state, action) pairs for which shards have different outcomes. `common`: pairs in the part of the graph that all shards explored.
   * `behind`: pairs after this part, where shards may have reached the same state on different paths.
   */
  readonly differing: { readonly common: number; readonly behind: number };
}

/** Number of commits after which `onCommits` is called. */
const EVERY = 4096;

/**
 * Commits the outcomes of several shards in the order of a breadth-first search over all shards. An outcome only depends on its state, so outcomes of
 * different shards can be combined. If all shards are finished, the result equals that of the undivided exploration: the same states, paths, findings
 * and digest.
 */
export function mergeShards({ actions, maxDepth, violationPolicy, shards, root, details, onCommits }: MergeOptions): Merged {
  const rows = new ShardRows(actions.length);
  for (const { recorded } of shards) rows.add(recorded);
  const order = orderOf(BREADTH_FIRST, actions.length, 0);
  const committer = new Committer({
    actions,
    maxDepth,
    violationPolicy,
    relaxes: false,
    shapes: false,
    details: new DetailLog(details),
    journal: new CommitJournal(),
    open: (node, opened) => order.open(node, opened),
    moved: () => undefined,
    onViolation: () => undefined,
  });
  const { visited, nodes } = committer;
  const stateOf = (state: number): readonly string[] | undefined => {
    const [shard, node] = rows.met[state]!;
    return shards[shard]!.state(node);
  };
  const [rootLo, rootHi] = [shards[0]!.recorded.lo[0] ?? 0, shards[0]!.recorded.hi[0] ?? 0];
  committer.root({ ...NO_REPORT, ...root, rootLo, rootHi, rootState: stateOf(0) });
  const open = new Set<number>();
  const owners = new Owners(shards[0]!.shard.of, committer);
  const differing = { common: 0, behind: 0 };
  const places = new Map(shards.map(({ shard }, place) => [shard.index, place]));
  for (let commits = 1; order.peek(); order.take()) {
    const node = order.ref;
    const owner = order.action === 0 ? owners.add(node, order.size) : owners.of(node);
    const state = rows.states.find(visited.lo(node), visited.hi(node));
    const outcome = rows.find(state, order.action, places.get(owner) ?? 0);
    if (!rows.agree(state, order.action)) differing[owner < 0 ? "common" : "behind"]++;
    if (outcome < 0) open.add(node);
    else {
      const { stepEvents, shard, edge } = rows.origin(outcome);
      const at = rows.at(outcome);
      const told: JournalEvent | undefined = stepEvents < 0 ? undefined : shards[shard]!.recorded.stepEvents(stepEvents);
      const wanted = committer.details!.wanted(committer.edges.size, visited.size);
      const reached = rows.states.find(rows.values[at + LO]!, rows.values[at + HI]!);
      const { action } = order;
      committer.commit(node, action, {
        rows: rows.values,
        at,
        stepEvents: told === undefined ? undefined : { unit: 0, action, ...told, exchanges: [] },
        detail:
          wanted === 0
            ? undefined
            : { unit: 0, action, exchanges: shards[shard]!.exchanges(edge), state: reached < 0 ? undefined : stateOf(reached) },
      });
      if (commits++ % EVERY === 0) onCommits(committer);
    }
    if (order.action === actions.length - 1 && !open.has(node)) nodes.flag(node, EXPANDED);
  }
  return { committer, rows, open, differing };
}

/**
 * Determines for each state the shard that explored the state on its path in the merged graph. The outcomes of this shard are used, because the data
 * of an action may depend on the path.
 */
class Owners {
  readonly #of: number;
  readonly #committer: Committer;
  readonly #owners: number[] = [];
  #level = -1;
  #shared: number | undefined;

  constructor(of: number, committer: Committer) {
    this.#of = of;
    this.#committer = committer;
  }

  /**
   * Adds the next node of the breadth-first search, and returns the index of its shard. Returns -1 if all shards explored the node. `waiting`: the
   * number of nodes in the frontier.
   */
  add(node: number, waiting: number): number {
    const { nodes, visited } = this.#committer;
    const depth = nodes.depth(node);
    if (depth > this.#level && this.#shared === undefined && isShared(waiting, this.#of)) this.#shared = depth;
    this.#level = depth;
    const isBehind = this.#shared !== undefined && depth > this.#shared;
    const owner =
      this.#shared === undefined
        ? -1
        : isBehind
          ? this.#owners[nodes.parent(node)]!
          : ownerOf(visited.lo(node), visited.hi(node), this.#of);
    this.#owners[node] = owner;
    return owner;
  }

  of(node: number): number {
    return this.#owners[node]!;
  }
}

const NO_REPORT: LaneReport = {
  wholeLo: 0,
  wholeHi: 0,
  rootLo: 0,
  rootHi: 0,
  rootLines: [],
  findings: [],
  errors: [],
  portable: false,
  snapshot: undefined,
  made: undefined,
  shape: 0,
  systems: [],
  contextOnly: false,
  uses: [],
};
