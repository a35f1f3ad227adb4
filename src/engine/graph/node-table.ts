import { Paged } from "./paged.ts";

/** Flag: the node joined the frontier, as the root state or through an edge without a blocking violation. */
export const OPENED = 1;
/** Flag: all actions of the node are committed. */
export const EXPANDED = 2;
/** Flag: a committed edge without a blocking violation leads to the node. */
export const CLEAN = 4;
/**
 * Flag: a state that equals the node may get another fingerprint, because the node has too many interchangeable ids to find their order. Replays are
 * not compared with such a node.
 */
export const UNCERTAIN = 8;
/** Flag: another shard explores the states after this node. */
export const FOREIGN = 16;

/**
 * The committed states. Each state is stored as its parent and the action that led to it, in 11 bytes. The path to a state is found by following the
 * parents. A node that was only reached by an edge with a blocking violation gets another parent when it joins the frontier.
 */
export class NodeTable {
  readonly #parent: Paged<Int32Array> = new Paged(Int32Array);
  readonly #action: Paged<Uint16Array> = new Paged(Uint16Array);
  readonly #depth: Paged<Int32Array> = new Paged(Int32Array);
  readonly #flags: Paged<Uint8Array> = new Paged(Uint8Array);
  #size = 0;
  /** Number of nodes that the run log contains. If one of these nodes gets another parent later, {@link moved} lists the node. */
  written = 0;
  readonly moved: Set<number> = new Set();
  /** For each node that got another parent after it joined the frontier: the parent and action that the node had when it joined. */
  readonly #homes: Map<number, readonly [parent: number, action: number]> = new Map();

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#parent.bytes + this.#action.bytes + this.#depth.bytes + this.#flags.bytes;
  }

  add(parent: number, action: number, depth: number): number {
    const node = this.#size++;
    this.#flags.set(node, 0);
    this.move(node, parent, action, depth);
    return node;
  }

  move(node: number, parent: number, action: number, depth: number): void {
    if (this.has(node, OPENED) && !this.#homes.has(node)) this.#homes.set(node, [this.#parent.at(node), this.#action.at(node)]);
    if (node < this.written) this.moved.add(node);
    this.#parent.set(node, parent);
    this.#action.set(node, action < 0 ? 0xffff : action);
    this.#depth.set(node, depth);
  }

  parent(node: number): number {
    return this.#parent.at(node);
  }

  /** Returns the action that leads from the parent to the node. Returns -1 for the root state. */
  action(node: number): number {
    const action = this.#action.at(node);
    return action === 0xffff ? -1 : action;
  }

  depth(node: number): number {
    return this.#depth.at(node);
  }

  has(node: number, flag: number): boolean {
    return (this.#flags.at(node) & flag) !== 0;
  }

  flag(node: number, flag: number): void {
    this.#flags.set(node, this.#flags.at(node) | flag);
  }

  /** Returns the indices of the actions from the root state to a node. */
  path(node: number): number[] {
    const path = new Array<number>(this.#depth.at(node));
    let at = node;
    for (let i = path.length - 1; i >= 0; i--) {
      path[i] = this.#action.at(at);
      at = this.#parent.at(at);
    }
    return path;
  }

  /**
   * Returns the path from which the data of a node's actions is drawn: the path on which the node joined the frontier. The returned path never
   * changes, even if a shorter path to the node is found. The node's successors can therefore be reached again along any path.
   */
  home(node: number): number[] {
    const path: number[] = [];
    for (let at = node; at > 0;) {
      const [parent, action] = this.#homes.get(at) ?? [this.#parent.at(at), this.#action.at(at)];
      path.push(action);
      at = parent;
    }
    return path.reverse();
  }

  /**
   * Returns, for each node on the path to `node`, the path that determines the test data of that node's actions; see {@link home}. Returns
   * `undefined` if all these paths are prefixes of the path to `node`.
   */
  draws(node: number): readonly number[][] | undefined {
    if (this.#homes.size === 0) return undefined;
    const draws: number[][] = [];
    for (let at = node; at >= 0; at = this.#parent.at(at)) draws.push(this.home(at));
    const path = this.path(node);
    draws.reverse();
    return draws.every((home, depth) => home.length === depth && home.every((action, i) => action === path[i])) ? undefined : draws;
  }

  parents(): Int32Array {
    return this.#parent.slice(this.#size);
  }

  actions(): Int32Array {
    return Int32Array.from({ length: this.#size }, (_, node) => this.action(node));
  }

  depths(): Int32Array {
    return this.#depth.slice(this.#size);
  }
}
