/**
 * The base of every error that seqqa raises on purpose. `message` is one sentence that says what is wrong and where;
 * `hint` says what to do next. `code` is stable and may be tested for.
 */
export class SeqqaError extends Error {
  override readonly name: string = "SeqqaError";
  /** A stable, machine-readable name of the condition, e.g. `CONFIG_UNKNOWN_KEY`. */
  readonly code: string;
  /** What the reader can do about it, as a sentence, when seqqa knows. */
  readonly hint: string | undefined;
  /** The exit status that the command line ends with when this error ends a run: 2 = usage or configuration, 3 = the run could not vouch. */
  readonly exitStatus: 2 | 3;

  constructor(
    code: string,
    message: string,
    options: { readonly hint?: string | undefined; readonly exitStatus?: 2 | 3; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.exitStatus = options.exitStatus ?? 3;
  }
}

/** Raised when a key is read from a {@link Context} that is not set. */
export class KeyError extends Error {
  override readonly name = "KeyError";
  /** The key that was read. */
  readonly key: string;

  constructor(key: string, message: string = `Context key not found: ${key}`) {
    super(message);
    this.key = key;
  }
}
