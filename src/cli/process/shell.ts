import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Environment } from "../../config/index.ts";
import type { Output } from "../../reports/index.ts";

export interface Shell {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /**
   * Calls the listener on every SIGINT and SIGTERM until the returned function is called. A SIGHUP calls the listener only if no signal came before.
   * A closing terminal may send several SIGHUPs, and these are not repeated requests to stop.
   */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Waits until the user presses Enter or the signal is aborted. `undefined` without an interactive terminal. */
  readonly waitForEnter?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Asks a yes-or-no question. The default answer is no. `undefined` without an interactive terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Receives URLs whose passwords must not appear in any later output. */
  readonly keepSecret?: ((urls: readonly string[]) => void) | undefined;
  readonly exit: (status: number) => void;
}

export function processShell(): Shell {
  let isInterrupted = false;
  const heard = (listener: () => void): void => {
    // The flag is set in the next tick: after all listeners of this signal, but before another signal that arrives in the same turn of the event
    // loop.
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
        // A later SIGHUP must not kill the process when no listener is left, because reports are written until the end.
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
