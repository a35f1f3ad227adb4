/** The data from which reports make links to lines of the user's code. */
export interface SourcePlace {
  /** The pattern of URLs that open a line in an editor, with `{file}`, `{line}` and `{column}`; absent if reports have no such links. */
  readonly editor?: string | undefined;
  /** The absolute path of the folder in which the command was started. Present with `editor`. */
  readonly folder?: string | undefined;
  /** The repository on GitHub that contains the user's code; absent if it is unknown. */
  readonly repository?:
    | {
        /** The URL of the repository, e.g. `https://github.com/owner/name`. */
        readonly url: string;
        /** The commit that was checked out. */
        readonly commit: string;
        /** The folder in which the command was started, relative to the repository; empty for its root. */
        readonly path: string;
      }
    | undefined;
}
