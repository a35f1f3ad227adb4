import type { Shell } from "./shell.ts";

/** Detects that this process ends before its work is done. */
export interface EarlyEnd {
  /** The shell for the work; its interruptions and its `exit` are watched. */
  readonly shell: Shell;
  /** Permits the process to end from here on. */
  readonly meant: () => void;
}

/**
 * Watches for an end that user code in this process caused. If that code ends the process, or waits for a promise that never settles, Node would
 * report success or a meaningless status. An unfinished run ends with 3, or with 130 after an interruption, and prints why.
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
  // `beforeExit` is emitted when no work is left, and not by process.exit().
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
        // Work that comes after other work hears signals itself.
        stopExit();
        const stop = shell.onInterrupt(() => {
          interrupted = true;
          listener();
        });
        return () => {
          // Signals that came before and are not delivered yet count, and so do signals that come while the process ends.
          stopExit = shell.onInterrupt(() => exit(130));
          stop();
        };
      },
      exit,
    },
  };
}
