import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mix } from "../../../src/engine/graph/mix.ts";
import { orderOf, type Opened, type Frontier } from "../../../src/engine/frontiers/index.ts";
import { STRATEGY_KINDS, type Strategy } from "../../../src/model/declare/search/strategy.ts";
import { Draws } from "../../support/draws.ts";
import { size } from "../../sizes.ts";

interface Child extends Opened {
  readonly ref: number;
}

/** A tree of states to be opened: what (state, action) leads to, by seed. Finite, and the same whoever asks. */
class Tree {
  readonly actions: number;
  readonly #seed: number;
  readonly #most: number;

  constructor(seed: number, actions: number, most: number) {
    this.#seed = seed;
    this.actions = actions;
    this.#most = most;
  }

  state(ref: number): Child {
    const draws = new Draws(mix(this.#seed, ref));
    return { ref, lo: draws.below(2 ** 31), hi: draws.below(2 ** 31), shape: draws.below(3), novel: draws.chance(0.5) };
  }

  /** Up to two states opened by one pair; relaxing opens several at once. */
  opens(ref: number, action: number): readonly Child[] {
    const draws = new Draws(mix(mix(this.#seed, ref), action));
    const children: Child[] = [];
    for (let i = 0; i < 2; i++) {
      const child = (ref * this.actions + action) * 2 + i + 1;
      if (child < this.#most && draws.chance(0.6)) children.push(this.state(child));
    }
    return children;
  }
}

/** The strategies that {@link reference} knows. */
const REFERENCED: readonly Strategy["kind"][] = ["bfs", "dfs", "random", "coverage_guided"];

type Pair = readonly [ref: number, action: number];

/** Takes up to `most` pairs as the engine does: look, open what the pair leads to, take. */
function take(order: Frontier, tree: Tree, most: number): Pair[] {
  const taken: Pair[] = [];
  while (taken.length < most && order.peek()) {
    const pair: Pair = [order.ref, order.action];
    for (const child of tree.opens(...pair)) order.open(child.ref, child);
    order.take();
    taken.push(pair);
  }
  return taken;
}

/** A reference that is slow and obvious: a list of open states, from which the next pair is chosen by looking at everything. */
function reference(kind: Strategy["kind"], tree: Tree, seed: number): Pair[] {
  const taken: Pair[] = [];
  let open: { readonly state: Child; readonly left: number[] }[] = [];
  const counts = new Map<string, number>();
  const entry = (state: Child): (typeof open)[number] => ({ state, left: [...Array(tree.actions).keys()] });
  const rank = ({ lo, hi }: Child, action: number): number => mix(mix(mix(seed, lo), hi), action);
  open.push(entry(tree.state(0)));
  let children: typeof open = [];
  while (open.length > 0) {
    let chosen = open[0]!;
    let action = chosen.left[0]!;
    if (kind === "random" || kind === "coverage_guided") {
      const all = open.flatMap((one) => one.left.map((a) => ({ one, a })));
      const key = ({ one, a }: (typeof all)[number]): number[] =>
        kind === "random"
          ? [rank(one.state, a)]
          : [counts.get(`${one.state.shape},${a}`) ?? 0, one.state.novel ? 0 : 1, rank(one.state, a), one.state.ref];
      const first = all.reduce((best, next) => (less(key(next), key(best)) ? next : best));
      chosen = first.one;
      action = first.a;
    }
    taken.push([chosen.state.ref, action]);
    counts.set(`${chosen.state.shape},${action}`, (counts.get(`${chosen.state.shape},${action}`) ?? 0) + 1);
    chosen.left.splice(chosen.left.indexOf(action), 1);
    const opened = tree.opens(chosen.state.ref, action).map(entry);
    const done = chosen.left.length === 0;
    if (done) open = open.filter((one) => one !== chosen);
    if (kind !== "dfs") open.push(...opened);
    else {
      // The children of a state go before everything older, in the order in which they were opened.
      children.push(...opened);
      if (done) {
        open = [...children, ...open];
        children = [];
      }
    }
  }
  return taken;
}

function less(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}

const trees = fc
  .record({ seed: fc.integer(), actions: fc.integer({ min: 1, max: 5 }), most: fc.integer({ min: 1, max: 60 }) })
  .map(({ seed, actions, most }) => new Tree(seed, actions, most));

function begun(kind: Strategy["kind"], tree: Tree, seed: number): Frontier {
  const order = orderOf(kind, tree.actions, seed);
  order.open(0, tree.state(0));
  return order;
}

const runs = { numRuns: size(20, 2000) };

describe.each(STRATEGY_KINDS)("%s order", (kind) => {
  it.runIf(REFERENCED.includes(kind))("is the order of a naive reference", () => {
    fc.assert(
      fc.property(trees, fc.nat(100), (tree, seed) => {
        expect(take(begun(kind, tree, seed), tree, Infinity)).toEqual(reference(kind, tree, seed));
      }),
      runs,
    );
  });

  it("a fork goes on as the order itself would, and running it changes nothing of the order", () => {
    fc.assert(
      fc.property(trees, fc.nat(100), fc.array(fc.tuple(fc.nat(8), fc.nat(40), fc.boolean()), { maxLength: 8 }), (tree, seed, plan) => {
        const order = begun(kind, tree, seed);
        const untouched = begun(kind, tree, seed);
        for (const [steps, ahead, midway] of plan) {
          // A fork is made before a pair is looked at, and between looking and taking.
          if (midway) order.peek();
          const fork = order.fork();
          const second = order.fork();
          const before = [order.size, [...order.waiting()].toSorted((a, b) => a - b)];
          const went = take(fork, tree, ahead);
          expect(take(second, tree, ahead)).toEqual(went);
          expect([order.size, [...order.waiting()].toSorted((a, b) => a - b)]).toEqual(before);
          const really = take(order, tree, steps);
          expect(went.slice(0, steps)).toEqual(really.slice(0, ahead));
          expect(really).toEqual(take(untouched, tree, steps));
        }
        expect(take(order, tree, Infinity)).toEqual(take(untouched, tree, Infinity));
      }),
      runs,
    );
  });

  it("says how many states are open, and which", () => {
    fc.assert(
      fc.property(trees, fc.nat(60), (tree, steps) => {
        const order = begun(kind, tree, 1);
        const opened = new Set([0]);
        const left = new Map<number, number>([[0, tree.actions]]);
        for (const [ref, action] of take(order, tree, steps)) {
          for (const child of tree.opens(ref, action)) {
            opened.add(child.ref);
            left.set(child.ref, tree.actions);
          }
          left.set(ref, left.get(ref)! - 1);
        }
        const open = [...opened].filter((ref) => left.get(ref)! > 0).toSorted((a, b) => a - b);
        expect([...new Set(order.waiting())].toSorted((a, b) => a - b)).toEqual(open);
        expect(order.size).toBe(open.length);
      }),
      runs,
    );
  });

  it("has nothing when nothing was opened", () => {
    const order = orderOf(kind, 3, 0);
    expect(order.peek()).toBe(false);
    expect(order.size).toBe(0);
    expect([...order.waiting()]).toEqual([]);
  });
});

it("bfs: a long queue is cut at its front without losing its place", () => {
  const order = orderOf("bfs", 1, 0);
  const state = { lo: 0, hi: 0, shape: 0, novel: true };
  const count = (1 << 16) * 2 + 10;
  for (let ref = 0; ref < count; ref++) order.open(ref, state);
  let ref = 0;
  for (; order.peek() && order.ref === ref; ref++) order.take();
  expect(ref).toBe(count);
  expect(order.peek()).toBe(false);
});

it.each(["random", "coverage_guided"] as const)("%s: another seed, another order", (kind) => {
  const tree = new Tree(7, 4, 40);
  expect(take(begun(kind, tree, 1), tree, Infinity)).not.toEqual(take(begun(kind, tree, 2), tree, Infinity));
});
