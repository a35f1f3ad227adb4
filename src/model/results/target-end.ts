/** How the process of a target stood after it had given no answer. */
export interface TargetEnd {
  /** This and `signal` are null while it still runs. */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signal: string | null;
  /** The last lines that it printed, at most 40, without control characters and the passwords of its stores. */
  readonly output: readonly string[];
}

/** It does not run any more. */
export function hasEnded({ exitCode, signal }: TargetEnd): boolean {
  return exitCode !== null || signal !== null;
}

/** What a shell returns for a command that a signal ended. */
const BY_SIGNAL: Readonly<Record<number, string>> = {
  132: "SIGILL",
  134: "SIGABRT",
  135: "SIGBUS",
  136: "SIGFPE",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};

/** What comes after "the target". */
export function endText({ exitCode, signal }: Pick<TargetEnd, "exitCode" | "signal">): string {
  if (signal !== null) return `ended with signal ${signal}`;
  if (exitCode === null) return "still runs";
  const by = BY_SIGNAL[exitCode];
  return `ended with exit code ${exitCode}${by === undefined ? "" : ` (${by})`}`;
}
