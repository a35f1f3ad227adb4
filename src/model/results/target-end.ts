/** The state of a target's process, observed after the target failed to answer. */
export interface TargetEnd {
  /** The exit code. `exitCode` and `signal` are both `null` while the process runs. */
  readonly exitCode: number | null;
  /** The signal that ended the process. */
  readonly signal: string | null;
  /** The last lines that the process printed, at most 40. Control characters and the passwords of its stores are removed. */
  readonly output: readonly string[];
}

/** Returns `true` if the process has ended. */
export function hasEnded({ exitCode, signal }: TargetEnd): boolean {
  return exitCode !== null || signal !== null;
}

/** The signals by the exit codes that a shell returns for commands that a signal ended (128 + the signal's number). */
const BY_SIGNAL: Readonly<Record<number, string>> = {
  132: "SIGILL",
  134: "SIGABRT",
  135: "SIGBUS",
  136: "SIGFPE",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};

/** Returns the text that follows "the target" in messages. */
export function endText({ exitCode, signal }: Pick<TargetEnd, "exitCode" | "signal">): string {
  if (signal !== null) return `ended with signal ${signal}`;
  if (exitCode === null) return "still runs";
  const by = BY_SIGNAL[exitCode];
  return `ended with exit code ${exitCode}${by === undefined ? "" : ` (${by})`}`;
}
