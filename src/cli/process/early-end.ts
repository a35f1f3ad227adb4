import type { Shell } from "./shell.ts";

export interface EarlyEnd {
  /** The shell for the work. Its `onInterrupt` and `exit` are observed. */
  readonly shell: Shell;
  /** Allows the process to end from now on. */
  readonly meant: () => void;
}

/**
 * Detects that user code ends this process early, by calling `process.exit` or by waiting for a promise that never settles. Node would then report
 * success or a meaningless status. An unfinished run instead ends with status 3 (130 after an interrupt) and prints the reason.
 */
export function watchForEarlyEnd(shell: Shell): EarlyEnd {
  let interrupted = false;
  let stopExit = (): void => undefined;
  let drained = false;
  const drain = (): void => void (drained = true);
  const early = (status: number): void => {
    process.exitCode = interrupted ? 130 : 3;
    const why = drained ? "its code waits for a promise that never settles" : `its code called process.exit(${status})`;
    const hint = "seqqa report shows what was stored until then; seqqa clean restores the stores.";
    shell.stderr.write(`error: The run stopped early: ${why}.\nhint: ${hint}\n`);
  };
  // `beforeExit` is emitted when no work is left. process.exit() does not emit it.
  process.once("beforeExit", drain).once("exit", early);
  const meant = (): void => void process.off("beforeExit", drain).off("exit", early);
  const exit = (status: number): void => {
    meant();
    shell.exit(status);
  };
  return {
    meant,
    shell: {
      ...shell,
      onInterrupt: (listener) => {
        // The new work handles signals itself, so the handler for the time between two pieces of work is removed.
        stopExit();
        const stop = shell.onInterrupt(() => {
          interrupted = true;
          listener();
        });
        return () => {
          // Signals that have been sent but not yet delivered still count, as do signals that arrive while the process ends.
          stopExit = shell.onInterrupt(() => exit(130));
          stop();
        };
      },
      exit,
    },
  };
}
