/**
 * The base class of the errors that seqqa raises on purpose. `message` is one sentence that says what is wrong and where. `hint` says what to do
 * next. `code` is stable, so programs may test it.
 */
export class SeqqaError extends Error {
  override readonly name: string = "SeqqaError";
  /** A stable, machine-readable name of the error, e.g. `CONFIG_UNKNOWN_KEY`. */
  readonly code: string;
  /** A sentence that tells the user how to solve the problem; `undefined` if seqqa does not know. */
  readonly hint: string | undefined;
  /** The exit status of the command line if this error ends a run: 2 for usage or configuration, 3 for an unverified result. */
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

/** Returns an error with the messages of both errors, and with the code of the first. */
export function joinedErrors(first: SeqqaError | undefined, second: SeqqaError): SeqqaError {
  if (first === undefined) return second;
  const { code, message, hint, exitStatus } = first;
  return new SeqqaError(code, `${message} ${second.message}`, { ...(hint !== undefined && { hint }), exitStatus });
}

/** Thrown when code reads an unset key of a {@link Context}. */
export class KeyError extends Error {
  override readonly name = "KeyError";
  /** The key that was read. */
  readonly key: string;

  constructor(key: string, message: string = `Context key not found: ${key}`) {
    super(message);
    this.key = key;
  }
}

/** Matches a line of an error's stack that is in the user's code. File names of bundles of user code end with `BUNDLE_SUFFIX`. */
const USERS_FRAME = /^\s+at .*\.seqqa\.mjs(?:\?[^:\s]*)?:\d+:\d+\)?$/m;

/** Returns `true` for an error of user code. Values without a stack, as in `throw "text"`, come from user code, because seqqa only throws errors. */
export function isOfUserCode(error: unknown): boolean {
  const stack = typeof error === "object" && error !== null ? (error as { readonly stack?: unknown }).stack : undefined;
  return typeof stack !== "string" || USERS_FRAME.test(stack);
}
