import { steadyChanges, type SteadyChanges } from "../../state/index.ts";
import type { Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { NodeTable } from "../graph/node-table.ts";

/** Number of consecutive steps by one action, each to a new state, that count as a chain. */
const LENGTH = 30;
/** Largest number of chains per action that are examined. One is not enough, since something else may change along it. */
const CHAINS = 3;
/** Number of tries at executing a chain again if its lane is lost. */
const TRIES = 5;
/** Length of the longest path that is executed again to see what changes along it. Chains that end deeper are not examined. */
const LONGEST = 200;
/** Largest number of parts of a state that a note names. */
const NAMED = 3;

/** A path whose last {@link LENGTH} steps are one action, each of which led to a new state. */
export interface Chain {
  readonly action: number;
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

/**
 * Collects notes about actions that lead to new states endlessly, one per action. The path of a chain is executed once more to see what changes. Only
 * the order of commits decides which chains are examined, so the notes are the same for every number of lanes. Without a chain, lanes have no extra
 * work.
 */
export class EndlessChains {
  readonly notes: string[] = [];
  readonly #actions: readonly string[];
  readonly #waiting: Chain[] = [];
  /** How often the lane was lost while it executed the first waiting chain. */
  #lost = 0;
  /** For each action: the last states of its chains. */
  readonly #ends: Map<number, Set<number>> = new Map();
  readonly #said: Set<number> = new Set();

  constructor(actions: readonly string[]) {
    this.#actions = actions;
  }

  /** Records that an action led from a node to a new state. */
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

  /** Returns the next chain to execute again, or `undefined`. */
  next(): Chain | undefined {
    while (this.#waiting.length > 0 && this.#said.has(this.#waiting[0]!.action)) this.#waiting.shift();
    return this.#waiting[0];
  }

  /**
   * Takes the recording of the chain that {@link next} returned, and returns the note if there is one. `recording` is `undefined` if the lane was
   * lost; the chain is then tried again.
   */
  ran(recording: Recording | undefined): string | undefined {
    // Losing a lane says nothing about the chain.
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
 * Returns the part of the note that names what changes. Empty if no recorded change shows it. `undefined` means no note: different things change
 * along the path, or the path did not lead to the same end.
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
