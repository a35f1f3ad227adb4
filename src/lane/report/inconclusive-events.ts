import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** Largest number of characters of a reason. */
const LONGEST = 300;

/**
 * Returns the event for a step that a rule could not judge.
 * @throws TypeError if `why` is not a text, or is empty
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

/**
 * Cuts a text at the end of a word. A secret is only redacted if its whole text is found, so no word is cut in two. No character is cut in two
 * either.
 */
function head(text: string): string {
  return text.slice(0, LONGEST).replace(/(?:[\w~+.-]+|[\uD800-\uDBFF])$/, "");
}
