/** An action, and the number of its transitions. */
export interface ActionCount {
  readonly action: number;
  readonly count: number;
}

/** The states behind the nodes of a grouped graph. */
export interface Groups {
  /** The fields by which states were grouped. */
  readonly fields: readonly string[];
  /** Per group: its values of these fields, and its states as places in the whole graph. */
  readonly values: readonly (readonly string[])[];
  readonly members: readonly (readonly number[])[];
  /** Per node of the whole graph: the number that people see. */
  readonly numbers: readonly number[];
  /** Per edge between groups: the actions of its transitions, the most frequent ones first. */
  readonly transitions: readonly (readonly ActionCount[])[];
  /** Per node of the whole graph: its group. */
  readonly of: Int32Array;
}
