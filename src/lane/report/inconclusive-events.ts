import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** Characters of a reason that are kept. */
const LONGEST = 300;

/**
 * What a rule says that it could not judge.
 * @throws TypeError where it does not say why
 */
export function inconclusiveEvents(rule: string, why: unknown): InconclusiveEvent {
  if (typeof why !== "string" || why.trim() === "") {
    throw new TypeError(`step.inconclusive(why) was given ${describe(why)}; say in a few words why the step cannot be judged.`);
  }
  return { invariant: rule, what: why.length <= LONGEST ? why : `${head(why)}... (${why.length} characters)` };
}

function describe(value: unknown): string {
  if (typeof value === "string") return "an empty text";
  if (value === undefined) return "nothing";
  return value === null ? "null" : `a value of type ${typeof value}`;
}

/** Ends where a word does: a secret is known by the whole of it, when texts are searched for secrets. Nor does half a character stay. */
function head(text: string): string {
  return text.slice(0, LONGEST).replace(/(?:[\w~+.-]+|[\uD800-\uDBFF])$/, "");
}
