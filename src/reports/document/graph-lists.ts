/**
 * Nodes and edges as parallel lists: entry `i` of every list of `nodes` belongs to one node, and likewise for `edges`. `Line` is the type of a line
 * of a state, `Exchange` the type of a request with its answer.
 */
export interface GraphLists<Line, Exchange> {
  readonly actions: readonly string[];
  /** The number of nodes in the whole graph. Larger than the lengths of the lists if only the run log contains all nodes. */
  readonly totalNodes: number;
  readonly totalEdges: number;
  readonly nodes: {
    /** The number of each node in the exploration; 0 is the root state. Parents come before their children. */
    readonly id: readonly number[];
    /** The name of each state, as used in commands: the first 8 hex digits of its fingerprint. Empty or absent if it is unknown. */
    readonly name?: readonly string[] | undefined;
    /** For each node, the node from which it was first reached; -1 for the root state. */
    readonly parent: readonly number[];
    /** For each node, the index of the action that first led to it; -1 for the root state. */
    readonly action: readonly number[];
    readonly depth: readonly number[];
    /** For each node, the lines that describe its state; `null` if they were not stored. */
    readonly state: readonly (readonly Line[] | null)[];
  };
  readonly edges: {
    readonly from: readonly number[];
    readonly action: readonly number[];
    /** For each edge, the node that it leads to; -1 if the step led to no state (an error, a crash, a timeout). */
    readonly to: readonly number[];
    readonly status: readonly number[];
    /** For each edge, 1 if a finding ends with this step, else 0. */
    readonly found: readonly number[];
    /** For each edge, the requests of the step and their answers; `null` if they were not stored. */
    readonly exchanges: readonly (readonly Exchange[] | null)[];
  };
}
