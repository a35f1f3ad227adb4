import { withRoom } from "./growable.ts";

/** The node was opened: a clean committed edge (or being the clean root) made it part of the frontier once. */
export const OPENED = 1;
/** All its actions were committed. */
export const EXPANDED = 2;
/** A committed edge without a finding reaches it. */
export const CLEAN = 4;
/** The canonical form gave up on its symmetric ids: it is never met again, and a replay cannot be compared with it. */
export const UNCERTAIN = 8;

/**
 * The committed states as parent + action, 11 bytes each, so that a path is read back by walking parents. Numbers are those of
 * the visited set. A node that was first reached by an edge with a finding gets the clean edge as its parent when it is opened.
 */
export class NodeTable {
  #parent: Int32Array = new Int32Array(1 << 10);
  #action: Uint16Array = new Uint16Array(1 << 10);
  #depth: Int32Array = new Int32Array(1 << 10);
  #flags: Uint8Array = new Uint8Array(1 << 10);
  #size = 0;
  /** Nodes below this number were written down: those that are moved afterwards are listed in {@link moved}. */
  written = 0;
  readonly moved: Set<number> = new Set();
  /** Opened nodes that were given another way: the parent and action that they had when they were opened. */
  readonly #homes: Map<number, readonly [parent: number, action: number]> = new Map();

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#parent.byteLength + this.#action.byteLength + this.#depth.byteLength + this.#flags.byteLength;
  }

  add(parent: number, action: number, depth: number): number {
    const node = this.#size++;
    this.#parent = withRoom(this.#parent, node);
    this.#action = withRoom(this.#action, node);
    this.#depth = withRoom(this.#depth, node);
    this.#flags = withRoom(this.#flags, node);
    this.move(node, parent, action, depth);
    return node;
  }

  /** Gives a node another way from the root. */
  move(node: number, parent: number, action: number, depth: number): void {
    if (this.has(node, OPENED) && !this.#homes.has(node)) this.#homes.set(node, [this.#parent[node]!, this.#action[node]!]);
    if (node < this.written) this.moved.add(node);
    this.#parent[node] = parent;
    this.#action[node] = action < 0 ? 0xffff : action;
    this.#depth[node] = depth;
  }

  parent(node: number): number {
    return this.#parent[node]!;
  }

  /** The action from the parent; -1 for the root. */
  action(node: number): number {
    const action = this.#action[node]!;
    return action === 0xffff ? -1 : action;
  }

  depth(node: number): number {
    return this.#depth[node]!;
  }

  has(node: number, flag: number): boolean {
    return (this.#flags[node]! & flag) !== 0;
  }

  flag(node: number, flag: number): void {
    this.#flags[node]! |= flag;
  }

  /** Action indices from the root to a node. */
  path(node: number): number[] {
    const path = new Array<number>(this.#depth[node]!);
    let at = node;
    for (let i = path.length - 1; i >= 0; i--) {
      path[i] = this.#action[at]!;
      at = this.#parent[at]!;
    }
    return path;
  }

  /**
   * The path that a node's actions are executed along in the end, as far as drawn data goes: what was drawn for them on the first way stays, so
   * that the states behind them are found again on any other. It changes only before the node is opened.
   */
  home(node: number): number[] {
    const path: number[] = [];
    for (let at = node; at > 0;) {
      const [parent, action] = this.#homes.get(at) ?? [this.#parent[at]!, this.#action[at]!];
      path.push(action);
      at = parent;
    }
    return path.reverse();
  }

  /** The homes of the nodes along the path to a node, itself included; `undefined` when they are the beginnings of the path. */
  draws(node: number): readonly number[][] | undefined {
    if (this.#homes.size === 0) return undefined;
    const draws: number[][] = [];
    for (let at = node; at >= 0; at = this.#parent[at]!) draws.push(this.home(at));
    const path = this.path(node);
    draws.reverse();
    return draws.every((home, depth) => home.length === depth && home.every((action, i) => action === path[i])) ? undefined : draws;
  }

  parents(): Int32Array {
    return this.#parent.slice(0, this.#size);
  }

  actions(): Int32Array {
    return Int32Array.from({ length: this.#size }, (_, node) => this.action(node));
  }

  depths(): Int32Array {
    return this.#depth.slice(0, this.#size);
  }
}
