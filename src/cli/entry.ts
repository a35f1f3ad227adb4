import { errorText } from "./error-text.ts";
import { main } from "./main.ts";

/** How long what a run left behind may keep a finished process alive. */
const GRACE_MS = 3000;

/** What `bin/seqqa.js` calls: runs the command line of this process and sets its exit status. */
export async function entry(): Promise<void> {
  const fail = (error: unknown): void => {
    process.stderr.write(`${errorText(error, process.argv.includes("--verbose"))}\n`);
    process.exit(3);
  };
  // Without this, an error that nobody caught would end the process with 1, which means a finding.
  process.on("uncaughtException", fail);
  // The reader of a pipe may go away, as `head` does; there is nobody left to tell.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? process.exit() : fail(error)));
  process.exitCode = await main(process.argv.slice(2));
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  setTimeout(() => process.exit(), GRACE_MS).unref();
}
