/** A generated file, with the text for an empty folder. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
  /** `true` if other files import this file, so that a user's file of the same name cannot replace it. */
  readonly isImported: boolean;
  /** Adds new parts to a copy that the user changed. By default the copy is left unchanged. */
  readonly extend?: ((edited: string) => Extended) | undefined;
}

export interface Extended {
  readonly text: string;
  /** Parts that could not be inserted into the copy, one sentence each. */
  readonly left: readonly string[];
}
