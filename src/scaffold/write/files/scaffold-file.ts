/** A generated file. `text` is its whole content. If the user changed the file, `extend` is used instead of `text`. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
  /** `true` if other generated files import this file, so that a file of the user with the same name cannot take its place. */
  readonly isImported: boolean;
  /** Adds new parts of this file to a copy that the user changed. If absent, such a copy is not changed. */
  readonly extend?: ((edited: string) => Extended) | undefined;
}

export interface Extended {
  readonly text: string;
  /** The parts that could not be inserted into the user's copy, one sentence each. */
  readonly left: readonly string[];
}
