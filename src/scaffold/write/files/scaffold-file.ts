/** A file of the folder, in the form for an empty folder. */
export interface ScaffoldFile {
  /** The path, with `/`. */
  readonly path: string;
  readonly text: string;
  /** `true`: other files import it, so that a user's file of the same name cannot replace it. */
  readonly isImported: boolean;
  /** Adds new parts to a copy that the user changed. Default: the copy is not changed. */
  readonly extend?: ((edited: string) => Extended) | undefined;
}

export interface Extended {
  readonly text: string;
  /** Parts that have no place in the copy, one sentence each. */
  readonly left: readonly string[];
}
