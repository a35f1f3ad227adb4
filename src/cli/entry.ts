import { watchForEarlyEnd } from "./process/early-end.ts";
import { errorText } from "./process/error-text.ts";
import { guardOutput } from "./process/guard-output.ts";
import { lazyMachinery, main } from "./main.ts";
import { processShell } from "./process/shell.ts";

/** The milliseconds for which leftovers of a run may keep a finished process alive. */
const GRACE_MS = 3000;

/** Returns `true` if nobody reads the output: the reader of a pipe may have ended, as `head` does, or the terminal was closed. */
const isNobodyThere = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EIO";

/** Runs the command line of this process and sets its exit status, for `bin/seqqa.js`. */
export async function entry(): Promise<void> {
  const argv = process.argv.slice(2);
  const { shell, meant } = watchForEarlyEnd(guardOutput(processShell(), argv));
  const fail = (error: unknown): void => {
    process.stderr.write(`${errorText(error, process.argv.includes("--verbose"))}\n`);
    shell.exit(3);
  };
  // Without this listener, an uncaught error would end the process with 1, which means a finding. Lanes take the errors of their steps, and rethrow
  // those that are not the user's.
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") === 1) fail(error);
  });
  // A run continues to its end and its reports, and restores what it changed, even if its output cannot be written.
  let unwritten: NodeJS.ErrnoException | undefined;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => (isNobodyThere(error) ? undefined : (unwritten ??= error)));
  // Modules of the user run in this process, too, and standard output is for the requested output.
  const machinery = lazyMachinery(({ labelConsole }) => labelConsole());
  const status = await main(argv, shell, machinery);
  meant();
  if (unwritten !== undefined) process.stderr.write(`error: The output could not be written: ${unwritten.message}.\n`);
  process.exitCode = unwritten !== undefined && status === 0 ? 3 : status;
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  setTimeout(() => process.exit(), GRACE_MS).unref();
  // An end without `process.exit()` removes the handlers of signals first, and another SIGHUP would then become the exit status.
  process.once("beforeExit", () => process.exit());
}
