import { answerOf } from "./answer-of.ts";
import type { Job, Measured } from "./job.ts";

/** Runs an exploration in a fresh process, so that neither compiled code nor memory of another one counts. */
export function explore(job: Job): Promise<Measured> {
  return answerOf<Measured>(new URL("explore-process.mjs", import.meta.url), [JSON.stringify(job)], job.env);
}

/** As {@link explore}, for runs that have to be clean: a figure of a run that could not vouch for its result is none. */
export async function exploreCleanly(job: Job): Promise<Measured> {
  const measured = await explore(job);
  const complaints = [...measured.errors, ...measured.divergences];
  if (complaints.length > 0) throw new Error(`The exploration ${JSON.stringify(job)} reports: ${complaints.slice(0, 3).join("; ")}`);
  return measured;
}
