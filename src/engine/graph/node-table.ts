import { Paged } from "./paged.ts";

/** The node was opened: a clean committed edge (or being the clean root) made it part of the frontier once. */
export const OPENED = 1;
/** All its actions were committed. */
export const EXPANDED = 2;
/** A committed edge without a finding reaches it. */
export const CLEAN = 4;
/** The canonical form gave up on its symmetric ids: it is never met again, and a replay cannot be compared with it. */
export const UNCERTAIN = 8;
/** Another shard goes on from it. */
export const FOREIGN = 16;

/**
 * The committed states as parent + action, 11 bytes each, so that a path is read back by walking parents. Numbers are those of
 * the visited set. A node that was first reached by an edge with a finding gets the clean edge as its parent when it is opened.
 */
export class NodeTable {
  readonly #parent: Paged<Int32Array> = new Paged(Int32Array);
  readonly #action: Paged<Uint16Array> = new Paged(Uint16Array);
  readonly #depth: Paged<Int32Array> = new Paged(Int32Array);
  readonly #flags: Paged<Uint8Array> = new Paged(Uint8Array);
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
    return this.#parent.bytes + this.#action.bytes + this.#depth.bytes + this.#flags.bytes;
  }

  add(parent: number, action: number, depth: number): number {
    const node = this.#size++;
    this.#flags.set(node, 0);
    this.move(node, parent, action, depth);
    return node;
  }

  /** Gives a node another way from the root. */
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

  /** The action from the parent; -1 for the root. */
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

  /** Action indices from the root to a node. */
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
   * The path that a node's actions are executed along in the end, as far as drawn data goes: what was drawn for them on the first way stays, so
   * that the states behind them are found again on any other. It changes only before the node is opened.
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

  /** The homes of the nodes along the path to a node, itself included; `undefined` when they are the beginnings of the path. */
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
