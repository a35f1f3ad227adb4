import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** Maximum length of the reason that a rule gives, in characters. Longer reasons are shortened. */
const LONGEST = 300;

/**
 * Returns the event for a step that a rule could not judge. `why`: the reason that the rule gave. `partly`: the rule judged a part of the step.
 * @throws TypeError if the reason is not a text, or is empty
 */
export function inconclusiveEvents(rule: string, why: unknown, partly: boolean = false): InconclusiveEvent {
  if (typeof why !== "string" || why.trim() === "") {
    throw new TypeError(
      `A rule called step.inconclusive() with ${describe(why)}. Pass a short text that says why the rule cannot judge the step.`,
    );
  }
  return { invariant: rule, what: why.length <= LONGEST ? why : `${head(why)}... (${why.length} characters)`, ...(partly && { partly }) };
}

function describe(value: unknown): string {
  if (typeof value === "string") return "an empty text";
  if (value === undefined) return "nothing";
  return value === null ? "null" : `a value of type ${typeof value}`;
}

/** Shortens a text without cutting a word or a character in two, because a part of a secret would not be recognised and redacted. */
function head(text: string): string {
  return text.slice(0, LONGEST).replace(/(?:[\w~+.-]+|[\uD800-\uDBFF])$/, "");
}
