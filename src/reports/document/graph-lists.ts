/**
 * Nodes and edges as lists; those of one group are indexed alike. What stands for a node, a line or an exchange is for whoever uses them to say.
 */
export interface GraphLists<Line, Exchange> {
  readonly actions: readonly string[];
  /** Of the whole graph. More than are shown: the rest is in the run store. */
  readonly totalNodes: number;
  readonly totalEdges: number;
  readonly nodes: {
    /** The node's number in the exploration; 0 is the root state. Parents stand before their children. */
    readonly id: readonly number[];
    /** The node that it was first reached from; -1 for the root. */
    readonly parent: readonly number[];
    /** Index of the action that led to it; -1 for the root. */
    readonly action: readonly number[];
    readonly depth: readonly number[];
    /** Its state in lines; `null`: not kept. */
    readonly state: readonly (readonly Line[] | null)[];
  };
  readonly edges: {
    readonly from: readonly number[];
    readonly action: readonly number[];
    /** -1: the outcome has no state (an error, a crash, a timeout). */
    readonly to: readonly number[];
    readonly status: readonly number[];
    /** 1: a finding is on it. */
    readonly found: readonly number[];
    /** What it sent and what came back; `null`: not kept. */
    readonly exchanges: readonly (readonly Exchange[] | null)[];
  };
}
