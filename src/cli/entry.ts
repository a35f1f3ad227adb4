import { watchForEarlyEnd } from "./process/early-end.ts";
import { errorText } from "./process/error-text.ts";
import { guardOutput } from "./process/guard-output.ts";
import { lazyMachinery, main } from "./main.ts";
import { processShell } from "./process/shell.ts";

/** How long what a run left behind may keep a finished process alive. */
const GRACE_MS = 3000;

/** The reader of a pipe may go away, as `head` does, and a terminal may be closed: there is nobody left to tell. */
const isNobodyThere = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EIO";

/** What `bin/seqqa.js` calls: runs the command line of this process and sets its exit status. */
export async function entry(): Promise<void> {
  const argv = process.argv.slice(2);
  const { shell, meant } = watchForEarlyEnd(guardOutput(processShell(), argv));
  const fail = (error: unknown): void => {
    process.stderr.write(`${errorText(error, process.argv.includes("--verbose"))}\n`);
    shell.exit(3);
  };
  // Without this, an error that nobody caught would end the process with 1, which means a finding. Lanes take those of their steps, and throw again what is not the user's.
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") === 1) fail(error);
  });
  // A run goes on to its end and its reports, and puts back what it changed, whatever becomes of its output.
  let unwritten: NodeJS.ErrnoException | undefined;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => (isNobodyThere(error) ? undefined : (unwritten ??= error)));
  // Modules of the user's run in this process, too, and standard output is for what was asked for.
  const machinery = lazyMachinery(({ labelConsole }) => labelConsole());
  const status = await main(argv, shell, machinery);
  meant();
  if (unwritten !== undefined) process.stderr.write(`error: The output could not be written: ${unwritten.message}.\n`);
  process.exitCode = unwritten !== undefined && status === 0 ? 3 : status;
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  setTimeout(() => process.exit(), GRACE_MS).unref();
  // An end without it takes the handlers of signals out first, and another SIGHUP would then be the exit status.
  process.once("beforeExit", () => process.exit());
}
