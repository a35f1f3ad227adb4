import { AgentDefinition, type AgentOptions } from "../agent.ts";
import type { ApiClient } from "../../http/client.ts";
import { contextPartOf, type Values } from "../../context/context.ts";
import { checkBounds, checkMembers, invalid } from "../declared.ts";
import { EdgeAction, type EdgeFunction } from "./edge-action.ts";
import type { SeqqaError } from "../../errors.ts";
import type { GraphShape } from "./graph-shape.ts";
import { Invariant } from "../invariant.ts";
import { nearest } from "../../text/nearest.ts";
import { Severity } from "../severity.ts";
import { refuseUnknown } from "../unknown-options.ts";
import type { World } from "../world.ts";

/** Options of {@link StateGraph}: the options of an `Agent` without `actions`. The edges of the graph take the place of the actions. */
export interface StateGraphOptions<C extends object = Values, A = ApiClient> extends Omit<
  AgentOptions<C, A>,
  "name" | "actions" | "invariants"
> {
  /** The name of the exploration, in reports and on the command line. */
  readonly name: string;
  /** Rules that hold at every node. Default: none. */
  readonly invariants?: readonly Invariant<C, A>[];
}

/** Options of a node of a {@link StateGraph}. */
export interface NodeOptions<C extends object = Values, A = ApiClient> {
  /** `true` if the exploration begins at this node. Exactly one node is initial. */
  readonly initial?: boolean;
  /** Returns `true` if the present state of the API is allowed at this node. `false` is a HIGH violation `<node>_denied`. */
  readonly check?: (world: World<C, A>) => boolean | Promise<boolean>;
}

/** Options of an edge of a {@link StateGraph}. */
export interface EdgeOptions<C extends object = Values, A = ApiClient> {
  /**
   * Makes the call. If the returned response has a status below 400, the world moves to `to`. A status of 400 or above is a refusal: the world stays
   * at `from`. `null`: the edge does not apply, and the step is skipped. If the action returns nothing, the last response that it received decides.
   * Without any response, the world moves to `to`.
   */
  readonly action: EdgeFunction<C, A>;
  /** The name of the edge in paths. Default: `<from> -> <to>`. */
  readonly name?: string;
}

const NODE_OPTIONS: readonly (keyof NodeOptions)[] = ["initial", "check"];
const EDGE_OPTIONS: readonly (keyof EdgeOptions)[] = ["action", "name"];

/** A model of the API as nodes and edges. Each node and edge is checked when it is added. */
export class StateGraphDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly #options: StateGraphOptions<C, A>;
  readonly #nodes: Map<string, NodeOptions<C, A>> = new Map();
  readonly #edges: EdgeAction<C, A>[] = [];
  #initial: string | undefined;
  #sealed = false;

  /** @throws SeqqaError `STATE_GRAPH_INVALID` for an empty name, duplicate invariants, and budgets out of range */
  constructor(options: StateGraphOptions<C, A>) {
    if (!isName((options as Partial<typeof options> | undefined)?.name)) {
      throw wrong("A StateGraph needs a name that is not empty.", 'Write new StateGraph({ name: "order" }).');
    }
    this.name = options.name;
    this.#options = options;
    checkBounds("StateGraph", options);
    checkMembers("StateGraph", "invariants", options.invariants ?? [], Invariant, "Invariant");
  }

  /** The world in the options; `undefined` if the options contain no world. */
  get world(): AgentOptions<C, A>["world"] {
    return this.#options.world;
  }

  /**
   * Adds a node of the model.
   * @throws SeqqaError `STATE_GRAPH_INVALID` if the name is empty or exists already, if the node is a second initial node, or if the exploration has
   * begun
   */
  addNode(name: string, options: NodeOptions<C, A> = {}): this {
    const call = `addNode(${JSON.stringify(name)})`;
    this.#refuseLate(call);
    if (!isName(name)) throw wrong("A node needs a name that is not empty.", 'Write addNode("paid").');
    if (this.#nodes.has(name)) throw wrong(`${call}: there is already a node with this name.`, "Add every node once, with a unique name.");
    refuseUnknown(call, "STATE_GRAPH_INVALID", options, NODE_OPTIONS);
    const { initial, check } = options;
    if (initial !== undefined && typeof initial !== "boolean")
      throw wrong(`${call}: initial must be true or false, not ${typeof initial}.`);
    if (check !== undefined && typeof check !== "function")
      throw wrong(`${call}: check must be a function check(world), not ${typeof check}.`);
    if (initial === true && this.#initial !== undefined) {
      throw wrong(
        `${call}: a graph can have only one initial node, and "${this.#initial}" is already the initial node.`,
        "Remove initial: true from one of the two nodes.",
      );
    }
    if (check !== undefined && this.#options.invariants?.some((one) => one.name === deniedName(name)) === true) {
      throw wrong(
        `${call}: findings of the node's check are named "${deniedName(name)}", but an invariant of this graph already has this name.`,
        "Give the invariant another name.",
      );
    }
    if (initial === true) this.#initial = name;
    this.#nodes.set(name, options);
    return this;
  }

  /**
   * Adds a transition that a call makes. Several edges may lead from one node to another, and an edge may lead back to its own node. Such a loop
   * counts as followed even if its call is refused. A loop can therefore model a call that must be refused.
   * @throws SeqqaError `STATE_GRAPH_INVALID` if one of the nodes was not added, if the name exists already, or if the exploration has begun
   */
  addEdge(from: string, to: string, options: EdgeOptions<C, A>): this {
    const call = `addEdge(${JSON.stringify(from)}, ${JSON.stringify(to)})`;
    this.#refuseLate(call);
    for (const node of [from, to]) if (!this.#nodes.has(node)) throw this.#unknownNode(call, node);
    const { action, name = `${from} -> ${to}` }: Partial<EdgeOptions<C, A>> = options ?? {};
    if (typeof action !== "function") {
      throw wrong(
        `${call} needs a function action(client, context).`,
        `Write ${call.slice(0, -1)}, { action: async (client, context) => ... }).`,
      );
    }
    refuseUnknown(call, "STATE_GRAPH_INVALID", options, EDGE_OPTIONS);
    if (!isName(name))
      throw wrong(`${call}: the name of an edge must not be empty.`, `Leave name out to name the edge "${from} -> ${to}".`);
    const same = this.#edges.find((other) => other.name === name)?.edge;
    if (same !== undefined) {
      const named = options.name === undefined ? `from "${from}" to "${to}"` : `from "${same.from}" to "${same.to}"`;
      throw wrong(
        `${call}: an edge ${named} already has the name "${name}".`,
        `Give the new edge another name: ${call.slice(0, -1)}, { name: "...", action }).`,
      );
    }
    this.#edges.push(new EdgeAction<C, A>({ name, from, to }, action));
    return this;
  }

  /**
   * Returns the agent that explores the graph. Afterwards, nothing can be added to the graph. `world` replaces the graph's own world.
   * @throws SeqqaError `STATE_GRAPH_INVALID` if there are no nodes, no initial node, or no edges
   */
  compile(world: AgentOptions<C, A>["world"] = this.#options.world): CompiledGraph<C, A> {
    const initial = this.#initial;
    const [first] = this.#nodes.keys();
    if (first === undefined) throw this.#incomplete("no nodes", 'Add nodes, for example: addNode("empty", { initial: true })');
    if (initial === undefined) {
      throw this.#incomplete("no initial node", `Mark the node where paths begin: addNode(${JSON.stringify(first)}, { initial: true })`);
    }
    if (this.#edges.length === 0)
      throw this.#incomplete("no edges", "Add edges: addEdge(from, to, { action: async (client, context) => ... })");
    this.#sealed = true;
    const shape = { initial, nodes: [...this.#nodes.keys()], edges: this.#edges.map(({ edge }) => edge) };
    const invariants = [...(this.#options.invariants ?? []), ...this.#checks()];
    return new CompiledGraph<C, A>(
      { ...this.#options, ...(world === undefined ? {} : { world }), actions: this.#edges, invariants },
      shape,
    );
  }

  #checks(): Invariant<C, A>[] {
    return [...this.#nodes].flatMap(([node, { check }]) => {
      if (check === undefined) return [];
      return new Invariant<C, A>({
        name: deniedName(node),
        severity: Severity.HIGH,
        message: `the state graph is at node "${node}", but the node's check does not hold in the state of the API`,
        check: (world) => contextPartOf(world.context as never).node !== node || check(world),
      });
    });
  }

  #unknownNode(call: string, node: string): SeqqaError {
    const nodes = [...this.#nodes.keys()];
    const near = typeof node === "string" ? nearest(node, nodes) : undefined;
    const list = nodes.map((one) => `"${one}"`).join(", ");
    const hint =
      nodes.length === 0
        ? "Call addNode() for the nodes before addEdge()."
        : near === undefined
          ? `The nodes of the graph are ${list}.`
          : `Did you mean "${near}"?`;
    return wrong(`${call}: there is no node ${JSON.stringify(node)}.`, hint);
  }

  #incomplete(what: string, hint: string): SeqqaError {
    return wrong(`The StateGraph "${this.name}" has ${what}.`, hint);
  }

  #refuseLate(call: string): void {
    if (!this.#sealed) return;
    throw wrong(
      `${call} was called after the exploration of "${this.name}" began; the graph can no longer be changed.`,
      "Add all nodes and edges before explore(), or build another StateGraph.",
    );
  }
}

/** The agent that explores a state graph. */
export class CompiledGraph<C extends object = Values, A = ApiClient> extends AgentDefinition<C, A> {
  override readonly graph: GraphShape;

  constructor(options: AgentOptions<C, A>, graph: GraphShape) {
    super(options);
    this.graph = graph;
  }
}

/** Returns the name of the violation that a node's check reports. */
export function deniedName(node: string): string {
  return `${node}_denied`;
}

const isName = (name: unknown): name is string => typeof name === "string" && name.trim() !== "";

function wrong(message: string, hint?: string): SeqqaError {
  return invalid("StateGraph", message, hint);
}
