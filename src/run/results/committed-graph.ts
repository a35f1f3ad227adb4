import type { Committer } from "../../engine/commit/committer.ts";
import type { ExplorationGraph } from "../../model/results/result.ts";

type Committed = Pick<Committer, "nodes" | "edges">;

/**
 * The graph of an exploration, as part of its result. The lists of nodes and edges are built at the first access, because the lists need more memory
 * than the exploration, which may keep its edges on disk.
 */
export class CommittedGraph implements ExplorationGraph {
  readonly actions: readonly string[];
  readonly nodes: number;
  readonly edges: number;
  readonly #committed: Committed;
  readonly #lists: Map<string, Int32Array> = new Map();

  constructor({ nodes, edges }: Committed, actions: readonly string[]) {
    // Keep only nodes and edges, so that the other data of the exploration can be garbage-collected.
    this.#committed = { nodes, edges };
    this.actions = actions;
    this.nodes = nodes.size;
    this.edges = edges.size;
  }

  get parents(): Int32Array {
    return this.#list("parents", ({ nodes }) => nodes.parents());
  }

  get parentActions(): Int32Array {
    return this.#list("parentActions", ({ nodes }) => nodes.actions());
  }

  get depths(): Int32Array {
    return this.#list("depths", ({ nodes }) => nodes.depths());
  }

  get edgeFrom(): Int32Array {
    return this.#list("edgeFrom", ({ edges }) => edges.from());
  }

  get edgeAction(): Int32Array {
    return this.#list("edgeAction", ({ edges }) => edges.actions());
  }

  get edgeTo(): Int32Array {
    return this.#list("edgeTo", ({ edges }) => edges.to());
  }

  get edgeStatus(): Int32Array {
    return this.#list("edgeStatus", ({ edges }) => edges.statuses());
  }

  path(node: number): readonly string[] {
    return this.#committed.nodes.path(node).map((action) => this.actions[action]!);
  }

  #list(name: string, make: (committed: Committed) => Int32Array): Int32Array {
    let list = this.#lists.get(name);
    if (list === undefined) this.#lists.set(name, (list = make(this.#committed)));
    return list;
  }
}
