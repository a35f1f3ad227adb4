import type { Environment } from "../config/index.ts";
import type { Output } from "../reports/index.ts";

/** What a command knows of the process that it runs in. */
export interface Shell {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /** Calls back on every SIGINT and SIGTERM until the returned function is called. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (status: number) => void;
}

export function processShell(): Shell {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt: (listener) => {
      process.on("SIGINT", listener).on("SIGTERM", listener);
      return () => void process.off("SIGINT", listener).off("SIGTERM", listener);
    },
    exit: (status) => process.exit(status),
  };
}
