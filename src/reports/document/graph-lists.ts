/**
 * Nodes and edges as parallel lists: entry `i` of every list of `nodes` belongs to one node, and likewise for `edges`. The type parameters are the
 * forms of a state's line and of an exchange.
 */
export interface GraphLists<Line, Exchange> {
  readonly actions: readonly string[];
  /** The numbers of nodes and edges in the whole graph. If they exceed the lengths of the lists, only the run log has the rest. */
  readonly totalNodes: number;
  readonly totalEdges: number;
  readonly nodes: {
    /** The number of the node in the exploration; 0 is the root state. Parents precede their children. */
    readonly id: readonly number[];
    /** The name of the state in commands: the first 8 hex digits of its fingerprint. Empty or absent if unknown. */
    readonly name?: readonly string[] | undefined;
    /** The node from which this node was first reached; -1 for the root. */
    readonly parent: readonly number[];
    /** The index of the action that first led to this node; -1 for the root. */
    readonly action: readonly number[];
    readonly depth: readonly number[];
    /** The lines that describe the state; `null` if they were not kept. */
    readonly state: readonly (readonly Line[] | null)[];
  };
  readonly edges: {
    readonly from: readonly number[];
    readonly action: readonly number[];
    /** The node that the edge leads to; -1 if the outcome has no state (an error, a crash, a timeout). */
    readonly to: readonly number[];
    readonly status: readonly number[];
    /** 1 if the edge has a finding. */
    readonly found: readonly number[];
    /** The requests of the edge and their answers; `null` if they were not kept. */
    readonly exchanges: readonly (readonly Exchange[] | null)[];
  };
}
