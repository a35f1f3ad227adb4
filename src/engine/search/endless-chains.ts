import { steadyChanges, type SteadyChanges } from "../../state/index.ts";
import type { Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { NodeTable } from "../graph/node-table.ts";

/** Steps by one action that lead to a new state in a row, from which on the chain is looked at. */
const LENGTH = 30;
/** Chains of one action that are looked at: the first one may go through states in which something else changes each time. */
const CHAINS = 3;
/** How often a chain is executed again whose lane is lost. */
const TRIES = 5;
/** Steps of a path that are executed again at most to see what changes along it: chains that end deeper are not looked at. */
const LONGEST = 200;
/** Parts of a state that a note names. */
const NAMED = 3;

/** A path whose last {@link LENGTH} steps are one action, each of which led to a new state. */
export interface Chain {
  readonly action: number;
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

/**
 * Notes about actions that lead to new states without an end, one for each action. The order of commits alone decides which chains are looked at, and in
 * which order, so that the notes are the same with any number of lanes. To see what changes along a chain its path is executed once more; nothing is asked of
 * lanes before there is one.
 */
export class EndlessChains {
  readonly notes: string[] = [];
  readonly #actions: readonly string[];
  readonly #waiting: Chain[] = [];
  /** How often the first of those was tried in vain. */
  #lost = 0;
  /** By action: the last states of the chains. */
  readonly #ends: Map<number, Set<number>> = new Map();
  readonly #said: Set<number> = new Set();

  constructor(actions: readonly string[]) {
    this.#actions = actions;
  }

  /** An action led from a node to a new state. */
  reached(nodes: NodeTable, node: number, action: number, to: number): void {
    if (nodes.action(node) !== action || nodes.depth(to) > LONGEST) return;
    const ends = this.#ends.get(action);
    if (ends !== undefined && ends.size >= CHAINS) return;
    let at = node;
    for (let steps = 1; steps < LENGTH; steps++) {
      if (nodes.action(at) !== action || ends?.has(at) === true) return;
      at = nodes.parent(at);
    }
    if (ends === undefined) this.#ends.set(action, new Set([to]));
    else ends.add(to);
    this.#waiting.push({ action, path: nodes.path(to), draws: nodes.draws(to) });
  }

  /** The chain that is to be executed again next; `undefined`: none is. */
  next(): Chain | undefined {
    while (this.#waiting.length > 0 && this.#said.has(this.#waiting[0]!.action)) this.#waiting.shift();
    return this.#waiting[0];
  }

  /** Takes in how the chain of {@link next} went, and returns the note if there is one. `undefined`: the lane was lost, and the chain is tried again. */
  ran(recording: Recording | undefined): string | undefined {
    // Losing a lane says nothing of the chain.
    if (recording === undefined && ++this.#lost < TRIES) return undefined;
    this.#lost = 0;
    const chain = this.#waiting.shift()!;
    const what = recording === undefined ? undefined : changesOf(chain, recording);
    if (what === undefined) return undefined;
    this.#said.add(chain.action);
    const note = `${this.#actions[chain.action]!} led to a new state ${LENGTH} times in a row${what}. Add a precondition or set max_depth.`;
    this.notes.push(note);
    return note;
  }
}

/**
 * The part of the note that says what changes; empty where nothing shows it. `undefined`: there is nothing to be said, since different things change on
 * the way, or the path did not lead there again.
 */
function changesOf({ path }: Chain, { steps: all, brokeAt }: Recording): string | undefined {
  if (brokeAt !== undefined || all.length !== path.length) return undefined;
  const steps = all.slice(-LENGTH).map(({ changes }) => changes ?? []);
  if (steps.every((changes) => changes.length === 0)) return "";
  const text = textOf(steadyChanges(steps));
  return text === "" ? undefined : `; ${text} each time`;
}

function textOf({ tables, lists, fields }: SteadyChanges): string {
  const shown = fields.slice(0, NAMED);
  return [
    ...tables.slice(0, NAMED).map((table) => `${table} gets a row`),
    ...lists.slice(0, NAMED).map((list) => `${list} gets an item`),
    ...(shown.length === 0 ? [] : [`${shown.join(", ")} ${shown.length === 1 ? "changes" : "change"}`]),
  ].join(" and ");
}
