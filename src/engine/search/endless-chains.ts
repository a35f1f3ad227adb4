import { steadyChanges, type SteadyChanges } from "../../state/index.ts";
import type { Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { NodeTable } from "../graph/node-table.ts";

/** Number of consecutive steps with the same action, each leading to a new state, that count as an endless chain. */
const LENGTH = 30;
/**
 * Largest number of chains that are examined for each action. A single chain may be misleading, because other parts of the state may change along the
 * chain.
 */
const CHAINS = 3;
/** Largest number of attempts to execute a chain. An attempt fails if the lane is lost. */
const TRIES = 5;
/** Longest path, in steps, that is executed again to see which parts of the state change. Chains with longer paths are not examined. */
const LONGEST = 200;
/** Largest number of changing parts of a state that a message names. */
const NAMED = 3;

/** A path that ends with {@link LENGTH} steps of the same action, each of which led to a new state. */
export interface Chain {
  readonly action: number;
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

/**
 * Finds endless chains, in which one action leads to a new state again and again, and writes a message for each such action. The path of a chain is
 * executed once more, to see which parts of the state change. The order of commits alone decides which chains are examined, so the messages are equal
 * for every number of lanes.
 */
export class EndlessChains {
  readonly notes: string[] = [];
  readonly #actions: readonly string[];
  readonly #waiting: Chain[] = [];
  /** Number of times that the lane was lost while it executed the chain that {@link next} returns. */
  #lost = 0;
  /** For each action: the nodes at the ends of its chains. */
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

  /** Returns the next chain to execute again, or `undefined` if no chain waits. */
  next(): Chain | undefined {
    while (this.#waiting.length > 0 && this.#said.has(this.#waiting[0]!.action)) this.#waiting.shift();
    return this.#waiting[0];
  }

  /**
   * Evaluates the execution of the chain that {@link next} returned. Returns a message for the user if there is one. `recording`: `undefined` if the
   * lane was lost. The chain is then executed again.
   */
  ran(recording: Recording | undefined): string | undefined {
    // The chain need not be the reason for the loss of the lane, so try again.
    if (recording === undefined && ++this.#lost < TRIES) return undefined;
    this.#lost = 0;
    const chain = this.#waiting.shift()!;
    const what = recording === undefined ? undefined : changesOf(chain, recording);
    if (what === undefined) return undefined;
    this.#said.add(chain.action);
    const note = `${this.#actions[chain.action]!} led to a new state ${LENGTH} times in a row${what}. Add a precondition to this action, or set max_depth.`;
    this.notes.push(note);
    return note;
  }
}

/**
 * Returns the end of the message, which names the parts of the state that change. Returns an empty text if the recorded changes do not show such
 * parts. Returns `undefined` if no message should be shown: different parts change along the path, or the repeated path led to another state.
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
