import type { Shell } from "./shell.ts";

export interface EarlyEnd {
  /** The shell that the command must use. It tells the detection about interrupts and intended calls of `exit`. */
  readonly shell: Shell;
  /** Stops the detection. Call it when the command has ended normally. */
  readonly meant: () => void;
}

/**
 * Detects that user code ends this process early, by calling `process.exit` or by waiting for a promise that never settles. Without the detection,
 * Node would report success or a meaningless status. With it, the process prints the reason and ends with status 3 (130 after an interrupt).
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
  // Node emits `beforeExit` if the event loop is empty, but not after `process.exit()`. The event therefore shows that user code waits for a promise
  // that never settles.
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
