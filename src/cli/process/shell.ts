import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Environment } from "../../config/index.ts";
import type { Output } from "../../reports/index.ts";
import { withWrite } from "./output.ts";

export interface Shell {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /**
   * Calls the listener on every SIGINT and SIGTERM until the returned function is called. SIGHUP calls the listener only if no other signal came
   * before, because a closing terminal may send several SIGHUP. With `--watch`, a change of files also calls the listener, and `why` says which files
   * changed.
   */
  readonly onInterrupt: (listener: (why?: string) => void) => () => void;
  /** Waits until the user presses Enter or `signal` is aborted. `undefined` without an interactive terminal. */
  readonly waitForEnter?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Asks the user a yes-or-no question. An empty answer means no. `undefined` without an interactive terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Registers URLs whose passwords must not appear in any later output. */
  readonly keepSecret?: ((urls: readonly string[]) => void) | undefined;
  readonly exit: (status: number) => void;
}

export function processShell(): Shell {
  let isInterrupted = false;
  const heard = (listener: () => void): void => {
    // Set `isInterrupted` in the next tick, so that it is still `false` for all listeners of the first signal, and `true` at a second signal.
    process.nextTick(() => (isInterrupted = true));
    listener();
  };
  const ignored = (): undefined => undefined;
  return {
    stdout: ownStdout(),
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt: (listener) => {
      const asked = (): void => heard(listener);
      const hungUp = (): void => {
        if (isInterrupted) return;
        heard(listener);
        // Ignore further SIGHUP signals. Without any listener, a SIGHUP would end the process while it still writes reports.
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

/**
 * Returns a standard output for seqqa's own texts. It keeps the original function `write`, because `process.stdout.write` may be redirected to
 * standard error for the output of user code.
 */
function ownStdout(): Output {
  const { stdout } = process;
  return withWrite(stdout, stdout.write.bind(stdout));
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
