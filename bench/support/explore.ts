import { answerOf } from "./answer-of.ts";
import type { Job, Measured } from "./job.ts";

/** Runs an exploration in a new process, so that compiled code and memory of other explorations do not influence it. */
export function explore(job: Job): Promise<Measured> {
  return answerOf<Measured>(new URL("explore-process.mjs", import.meta.url), [JSON.stringify(job)], job.env);
}

/** Runs an exploration like {@link explore}, and throws if it had problems, because figures of such a run mean nothing. */
export async function exploreCleanly(job: Job): Promise<Measured> {
  const measured = await explore(job);
  const complaints = [...measured.errors, ...measured.divergences];
  if (complaints.length > 0) throw new Error(`The exploration ${JSON.stringify(job)} reports: ${complaints.slice(0, 3).join("; ")}`);
  return measured;
}
