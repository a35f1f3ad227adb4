import type { Shell } from "./shell.ts";

/** Knows whether this process is meant to end. */
export interface EarlyEnd {
  /** The shell that the work must be given: it is watched. */
  readonly shell: Shell;
  /** From here on it may end. */
  readonly meant: () => void;
}

/**
 * User code runs in this process. Where it ends it, or waits for what never comes, Node would report success, or a status that has no
 * meaning here: a run that was not finished ends with 3, or with 130 after an interruption, and says why.
 */
export function watchForEarlyEnd(shell: Shell): EarlyEnd {
  let interrupted = false;
  let drained = false;
  const drain = (): void => void (drained = true);
  const early = (status: number): void => {
    process.exitCode = interrupted ? 130 : 3;
    const why = drained ? "all that is left waits for something that never comes" : `its code called process.exit(${status})`;
    const hint = "seqqa report shows what was stored until then; seqqa clean puts back what stores were left with.";
    shell.stderr.write(`error: The run was ended before it was over: ${why}.\nhint: ${hint}\n`);
  };
  // Told when nothing is left to do, and not by process.exit().
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
        const stop = shell.onInterrupt(() => {
          interrupted = true;
          listener();
        });
        return () => {
          // A signal that came before and was not told of yet is not lost, nor is one that comes while the process ends.
          shell.onInterrupt(() => exit(130));
          stop();
        };
      },
      exit,
    },
  };
}
