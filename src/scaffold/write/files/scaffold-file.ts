/** A file of the folder as it would be written into an empty one. */
export interface ScaffoldFile {
  /** With `/`. */
  readonly path: string;
  readonly text: string;
  /** Others import it: one that a user wrote under its name cannot take its place. */
  readonly isImported: boolean;
  /** Adds what is new to a copy that the user changed; default: it stays as it is. */
  readonly extend?: ((edited: string) => Extended) | undefined;
}

export interface Extended {
  readonly text: string;
  /** What found no place, a sentence each. */
  readonly left: readonly string[];
}
