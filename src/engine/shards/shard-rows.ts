import { commitRows } from "../commit/commit-rows.ts";
import type { Recorded } from "../commit/recommit.ts";
import { withRoom } from "../graph/growable.ts";
import { KIND_BITS, BROKEN, CHECK_SHIFT, FAILED, FINDING, HI, KIND, LO, ROW, SKIPPED, STATUS } from "../../messages/lane-messages.ts";
import { VisitedSet } from "../graph/visited-set.ts";
import { ForeignCommits } from "../commit/damaged-run.ts";

/**
 * Number of int32 values that are stored for an outcome: the lane's row, the id of the step events, the shard, and the number of the edge in the
 * shard.
 */
const STRIDE = ROW + 3;
const NEWS_ID = ROW;
const SHARD = ROW + 1;
const EDGE = ROW + 2;

/** The outcomes that all shards committed, indexed by state, action and shard. */
export class ShardRows {
  readonly states: VisitedSet = new VisitedSet();
  /** Number of executed outcomes of all shards. An outcome that several shards have is counted several times. */
  executed = 0;
  /** For each state: the first shard that contains it, and the number of the state in that shard. */
  readonly met: (readonly [shard: number, node: number])[] = [];
  readonly shared: Set<number> = new Set();
  readonly #actions: number;
  #values: Int32Array = new Int32Array(1 << 12);
  #count = 0;
  /** For each shard: a table over (state, action) pairs with the number of the outcome, counted from 1, or 0 if there is none. */
  readonly #places: Int32Array[] = [];

  constructor(actions: number) {
    this.#actions = actions;
  }

  /** Adds the outcomes of a shard. @throws ForeignCommits if the data is incomplete or refers to states that do not exist */
  add(recorded: Recorded): void {
    const shard = this.#places.push(new Int32Array(1 << 12)) - 1;
    const ids = Int32Array.from(recorded.lo, (lo, node) => this.#idOf(lo, recorded.hi[node]!, shard, node));
    let edge = 0;
    for (let index = 0; index < recorded.batches; index++) {
      for (const row of commitRows(recorded.batch(index))) {
        const { from, action, to, bits, check } = row;
        if (from < 0 || from >= ids.length || to < -1 || to >= ids.length || action >= this.#actions)
          throw new ForeignCommits("a commit refers to a state or an action that does not exist");
        const reached = to < 0 ? [0, 0] : [recorded.lo[to]!, recorded.hi[to]!];
        this.#put(ids[from]!, action, [
          bits | (check << CHECK_SHIFT),
          row.status,
          ...reached,
          row.response,
          row.shape,
          row.stepEvents,
          shard,
          edge,
        ]);
        if ((bits & KIND_BITS) === SKIPPED) continue;
        edge++;
        this.executed++;
      }
    }
  }

  /**
   * Returns the number of the given shard's outcome for an action in a state. Without an outcome of the given shard, returns the number of another
   * shard's outcome. Returns -1 if no shard has an outcome.
   */
  find(state: number, action: number, shard: number): number {
    const pair = state * this.#actions + action;
    const own = this.#places[shard]?.[pair] ?? 0;
    if (own > 0) return own - 1;
    for (const places of this.#places) if ((places[pair] ?? 0) > 0) return places[pair]! - 1;
    return -1;
  }

  /** Returns `true` if all shards that executed an action in a state have the same outcome. Different hashes of the responses are allowed. */
  agree(state: number, action: number): boolean {
    const pair = state * this.#actions + action;
    const outcomes = this.#places.map((places) => (places[pair] ?? 0) - 1).filter((outcome) => outcome >= 0);
    return outcomes.every((outcome) => this.#same(outcomes[0]! * STRIDE, outcome * STRIDE));
  }

  /** Returns the index in {@link values} at which the row of an outcome begins. */
  at(outcome: number): number {
    return outcome * STRIDE;
  }

  get values(): Int32Array {
    return this.#values;
  }

  /**
   * Returns the source of an outcome: the shard, the number of the edge in the shard, and the id of the step events in the shard (-1 if there are
   * none).
   */
  origin(outcome: number): { readonly stepEvents: number; readonly shard: number; readonly edge: number } {
    const at = outcome * STRIDE;
    return { stepEvents: this.#values[at + NEWS_ID]!, shard: this.#values[at + SHARD]!, edge: this.#values[at + EDGE]! };
  }

  #idOf(lo: number, hi: number, shard: number, node: number): number {
    const known = this.states.find(lo, hi);
    if (known >= 0) {
      this.shared.add(known);
      return known;
    }
    this.met.push([shard, node]);
    return this.states.add(lo, hi);
  }

  #put(state: number, action: number, values: readonly number[]): void {
    const shard = values[SHARD]!;
    const pair = state * this.#actions + action;
    const places = (this.#places[shard] = withRoom(this.#places[shard]!, pair));
    const at = this.#count * STRIDE;
    this.#values = withRoom(this.#values, at + STRIDE);
    this.#values.set(values, at);
    places[pair] = ++this.#count;
  }

  #same(a: number, b: number): boolean {
    const { values } = this;
    const kindOf = (at: number): number => values[at + KIND]! & (KIND_BITS | FINDING);
    if (kindOf(a) !== kindOf(b)) return false;
    const kind = kindOf(a) & KIND_BITS;
    if (kind === SKIPPED || kind === FAILED || kind === BROKEN) return true;
    return [STATUS, LO, HI].every((column) => values[a + column] === values[b + column]);
  }
}
