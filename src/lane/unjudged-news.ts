import type { UnjudgedNews } from "../engine/messages.ts";

/** Characters of a reason that are kept. */
const LONGEST = 300;

/** What a rule says that it could not judge. */
export function unjudgedNews(rule: string, why: string): UnjudgedNews {
  return { invariant: rule, what: why.length <= LONGEST ? why : `${head(why)}... (${why.length} characters)` };
}

/** Ends where a word does: a secret is known by the whole of it, when texts are searched for secrets. Nor does half a character stay. */
function head(text: string): string {
  return text.slice(0, LONGEST).replace(/(?:[\w~+.-]+|[\uD800-\uDBFF])$/, "");
}
