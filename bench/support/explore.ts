import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Job, Measured } from "./job.ts";

/** Runs an exploration in a fresh process, so that neither compiled code nor memory of another one counts. */
export function explore(job: Job): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const entry = fileURLToPath(new URL("explore-process.mjs", import.meta.url));
    const child = fork(entry, [JSON.stringify(job)], {
      env: { ...process.env, ...job.env },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    let answer: Measured | undefined;
    child.on("message", (message) => (answer = message as Measured));
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (answer === undefined) reject(new Error(`The exploration ${JSON.stringify(job)} ended with ${signal ?? code}.`));
      else resolve(answer);
    });
  });
}

/** As {@link explore}, for runs that have to be clean: a figure of a run that could not vouch for its result is none. */
export async function exploreCleanly(job: Job): Promise<Measured> {
  const measured = await explore(job);
  const complaints = [...measured.errors, ...measured.divergences];
  if (complaints.length > 0) throw new Error(`The exploration ${JSON.stringify(job)} reports: ${complaints.slice(0, 3).join("; ")}`);
  return measured;
}
