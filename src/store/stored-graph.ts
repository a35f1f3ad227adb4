/** The whole graph of an exploration: lists that are indexed alike, of nodes and of edges. */
export interface StoredGraph {
  readonly actions: readonly string[];
  readonly parents: readonly number[];
  readonly parentActions: readonly number[];
  readonly depths: readonly number[];
  readonly edgeFrom: readonly number[];
  readonly edgeAction: readonly number[];
  readonly edgeTo: readonly number[];
  readonly edgeStatus: readonly number[];
  readonly edgeFound: readonly number[];
}
