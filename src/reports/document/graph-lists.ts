/**
 * Nodes and edges as lists; the lists of one group have common indices. The users of this type decide how a node, a line or an exchange is
 * represented.
 */
export interface GraphLists<Line, Exchange> {
  readonly actions: readonly string[];
  /** The numbers of nodes and edges of the whole graph. If they are greater than the shown ones, the rest is in the run log. */
  readonly totalNodes: number;
  readonly totalEdges: number;
  readonly nodes: {
    /** The node's number in the exploration; 0 is the root state. Parents come before their children. */
    readonly id: readonly number[];
    /** The name of the state in commands: the first 8 hex digits of its fingerprint; empty or absent: unknown. */
    readonly name?: readonly string[] | undefined;
    /** The node from which it was first reached; -1 for the root. */
    readonly parent: readonly number[];
    /** Index of the action that led to it; -1 for the root. */
    readonly action: readonly number[];
    readonly depth: readonly number[];
    /** The state in lines; `null`: not kept. */
    readonly state: readonly (readonly Line[] | null)[];
  };
  readonly edges: {
    readonly from: readonly number[];
    readonly action: readonly number[];
    /** -1: the outcome has no state (an error, a crash, a timeout). */
    readonly to: readonly number[];
    readonly status: readonly number[];
    /** 1: the edge has a finding. */
    readonly found: readonly number[];
    /** The requests of the edge and their answers; `null`: not kept. */
    readonly exchanges: readonly (readonly Exchange[] | null)[];
  };
}
