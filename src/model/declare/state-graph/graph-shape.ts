/** The nodes and edges of a state graph, without their functions. */
export interface GraphShape {
  readonly initial: string;
  readonly nodes: readonly string[];
  readonly edges: readonly EdgeShape[];
}

export interface EdgeShape {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}
