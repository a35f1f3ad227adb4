import { watchForEarlyEnd } from "./process/early-end.ts";
import { errorText } from "./process/error-text.ts";
import { guardOutput } from "./process/guard-output.ts";
import { lazyMachinery, main } from "./main.ts";
import { processShell } from "./process/shell.ts";

/** The time in milliseconds that open sockets and timers may keep the process alive after the command has finished. */
const GRACE_MS = 3000;

/**
 * Returns `true` if an output error means that nobody reads the output: the process behind the pipe (such as `head`) ended, or the terminal was
 * closed.
 */
const isNobodyThere = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EIO";

/** Runs the command line of this process and sets its exit status. Called by `bin/seqqa.js`. */
export async function entry(): Promise<void> {
  const argv = process.argv.slice(2);
  const write = process.stdout.write.bind(process.stdout);
  const { shell, meant } = watchForEarlyEnd(guardOutput(processShell(), argv));
  const fail = (error: unknown): void => {
    process.stderr.write(`${errorText(error, process.argv.includes("--verbose"))}\n`);
    shell.exit(3);
  };
  // Without this listener, an uncaught error would end the process with exit status 1, which users would read as "a rule was broken". For errors in
  // steps, lanes have their own listener.
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") === 1) fail(error);
  });
  // If output cannot be written, the run continues, so that it can still write reports and restore the stores. The error is shown at the end.
  let unwritten: NodeJS.ErrnoException | undefined;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => (isNobodyThere(error) ? undefined : (unwritten ??= error)));
  // Redirect the output of explorations, because they run in this process, and their output must not mix with the command's own standard output.
  const machinery = lazyMachinery(({ endOnHang, labelOutput }) => {
    labelOutput();
    endOnHang(fail);
  });
  const status = await main(argv, shell, machinery);
  meant();
  if (unwritten !== undefined)
    process.stderr.write(`error: seqqa could not write its output to the terminal, pipe or file: ${unwritten.message}.\n`);
  process.exitCode = unwritten !== undefined && status === 0 ? 3 : status;
  await new Promise<void>((resolve) => write("", () => resolve()));
  setTimeout(() => process.exit(), GRACE_MS).unref();
  // Call `process.exit()`: a process that ends by itself first removes its signal handlers, and a late SIGHUP would then change the exit status.
  process.once("beforeExit", () => process.exit());
}
