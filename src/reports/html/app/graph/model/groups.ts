export interface ActionCount {
  readonly action: number;
  readonly count: number;
}

export interface Groups {
  /** The names of the fields by which states were grouped. */
  readonly fields: readonly string[];
  /** For each group, the values that its states have in these fields. */
  readonly values: readonly (readonly string[])[];
  readonly members: readonly (readonly number[])[];
  /** For each node of the whole graph, the number that the page shows for the state. */
  readonly numbers: readonly number[];
  /** For each edge between groups, the actions of its transitions, the most frequent first. */
  readonly transitions: readonly (readonly ActionCount[])[];
  /** For each node of the whole graph, the index of its group. */
  readonly of: Int32Array;
}
