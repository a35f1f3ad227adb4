export interface ActionCount {
  readonly action: number;
  readonly count: number;
}

export interface Groups {
  /** The names of the fields by which states were grouped. */
  readonly fields: readonly string[];
  /** Per group: its values of these fields, and the indexes of its states in the whole graph. */
  readonly values: readonly (readonly string[])[];
  readonly members: readonly (readonly number[])[];
  /** Per node of the whole graph: the number that readers see. */
  readonly numbers: readonly number[];
  /** Per edge between groups: the actions of its transitions, the most frequent first. */
  readonly transitions: readonly (readonly ActionCount[])[];
  /** Per node of the whole graph: the index of its group. */
  readonly of: Int32Array;
}
