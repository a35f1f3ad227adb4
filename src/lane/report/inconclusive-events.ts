import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** Number of characters kept of a reason. */
const LONGEST = 300;

/**
 * Returns the event of a step that a rule could not judge.
 * @throws TypeError without a reason
 */
export function inconclusiveEvents(rule: string, why: unknown): InconclusiveEvent {
  if (typeof why !== "string" || why.trim() === "") {
    throw new TypeError(`step.inconclusive(why) was given ${describe(why)}; pass a short text that says why the step cannot be judged.`);
  }
  return { invariant: rule, what: why.length <= LONGEST ? why : `${head(why)}... (${why.length} characters)` };
}

function describe(value: unknown): string {
  if (typeof value === "string") return "an empty text";
  if (value === undefined) return "nothing";
  return value === null ? "null" : `a value of type ${typeof value}`;
}

/** Cuts a text at the end of a word: a secret is only found by its whole text. It never cuts a character in half. */
function head(text: string): string {
  return text.slice(0, LONGEST).replace(/(?:[\w~+.-]+|[\uD800-\uDBFF])$/, "");
}
