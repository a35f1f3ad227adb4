import type { Shell } from "./shell.ts";

export interface EarlyEnd {
  /** The shell to pass to the command. It also records interrupts and calls of `exit`. */
  readonly shell: Shell;
  /** Stops the detection. Call it when the command has ended normally. */
  readonly meant: () => void;
}

/**
 * Detects that user code ends this process early, by calling `process.exit` or by waiting for a promise that never settles. Node would then report
 * success or a meaningless status. With the detection, the process ends with status 3 (130 after an interrupt) and prints the reason.
 */
export function watchForEarlyEnd(shell: Shell): EarlyEnd {
  let interrupted = false;
  let stopExit = (): void => undefined;
  let drained = false;
  const drain = (): void => void (drained = true);
  const early = (status: number): void => {
    process.exitCode = interrupted ? 130 : 3;
    const why = drained
      ? "your code, or code that it imports, waits for a promise that never settles"
      : `your code, or code that it imports, called process.exit(${status})`;
    const hint = "Correct this code. seqqa report shows the results so far, and seqqa clean restores the stores.";
    shell.stderr.write(`error: The run stopped early: ${why}.\nhint: ${hint}\n`);
  };
  // Node emits `beforeExit` if no work is left, but not after `process.exit()`. The event therefore shows that user code waits for a promise.
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
        // The command now handles signals itself. Remove the handler that would end the process on a signal.
        stopExit();
        const stop = shell.onInterrupt(() => {
          interrupted = true;
          listener();
        });
        return () => {
          // From now on, a signal ends the process with exit status 130. Set the new handler before removing the old handler, so that no signal is
          // missed.
          stopExit = shell.onInterrupt(() => exit(130));
          stop();
        };
      },
      exit,
    },
  };
}
