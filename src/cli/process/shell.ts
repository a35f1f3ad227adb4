import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Environment } from "../../config/index.ts";
import type { Output } from "../../reports/index.ts";

/** The parts of the process that a command uses. */
export interface Shell {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /**
   * Calls back on every SIGINT and SIGTERM until the returned function is called, and on a SIGHUP that comes before them. A terminal that is closed
   * may send several SIGHUPs, which are no request to hurry.
   */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Waits until the user pressed Enter, or the signal is aborted; `undefined` without an interactive terminal. */
  readonly waitForEnter?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Asks a question that is answered with yes or no; the default is no. `undefined` without an interactive terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Takes URLs whose passwords no output may show from now on. */
  readonly keepSecret?: ((urls: readonly string[]) => void) | undefined;
  /** Ends the process at once. */
  readonly exit: (status: number) => void;
}

export function processShell(): Shell {
  let isInterrupted = false;
  const heard = (listener: () => void): void => {
    // Other listeners get the same signal; the next one may come in the same turn of the event loop.
    process.nextTick(() => (isInterrupted = true));
    listener();
  };
  const ignored = (): undefined => undefined;
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt: (listener) => {
      const asked = (): void => heard(listener);
      const hungUp = (): void => {
        if (isInterrupted) return;
        heard(listener);
        // The next SIGHUP must not kill the process when no listener is left: reports are written until the process ends.
        process.on("SIGHUP", ignored);
      };
      process.on("SIGINT", asked).on("SIGTERM", asked).on("SIGHUP", hungUp);
      return () => void process.off("SIGINT", asked).off("SIGTERM", asked).off("SIGHUP", hungUp);
    },
    waitForEnter: process.stdin.isTTY && process.stderr.isTTY ? waitForEnter : undefined,
    confirm: process.stdin.isTTY && process.stderr.isTTY ? confirm : undefined,
    exit: (status) => process.exit(status),
  };
}

async function waitForEnter(signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  try {
    await Promise.race([once(lines, "line", { signal }), once(lines, "close", { signal })]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    lines.close();
  }
}

async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answered = new Promise<string>((resolve) => {
      lines.once("close", () => resolve(""));
      lines.question(question, resolve);
    });
    return /^y(?:es)?$/i.test((await answered).trim());
  } finally {
    lines.close();
  }
}
