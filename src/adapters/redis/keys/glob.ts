import { namedKey } from "./other-indexes.ts";
import type { Bytes } from "./entry.ts";

/** Returns a function that tests if a key matches a pattern of Redis's KEYS: `*`, `?`, `[a-z]`, `[^a]`, and `\` before a literal character. */
export function globMatcher(pattern: string): (key: Bytes) => boolean {
  const expression = new RegExp(`^${translate(Buffer.from(pattern).toString("latin1"))}$`, "s");
  return (key) => expression.test(key);
}

export function keyFilter(keys: readonly string[] | undefined, ignore: readonly string[]): (key: Bytes) => boolean {
  const [wanted, unwanted] = [keys?.map(globMatcher), ignore.map(globMatcher)];
  if (wanted === undefined && unwanted.length === 0) return () => true;
  return (key) => {
    const name = namedKey(key);
    return (wanted?.some((matches) => matches(name)) ?? true) && !unwanted.some((matches) => matches(name));
  };
}

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function translate(pattern: string): string {
  let text = "";
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    if (character === "*") text += ".*";
    else if (character === "?") text += ".";
    else if (character === "\\" && i + 1 < pattern.length) text += literal(pattern[++i]!);
    else if (character === "[") {
      let end = i + 1;
      const negated = pattern[end] === "^";
      if (negated) end++;
      let members = "";
      for (; end < pattern.length && pattern[end] !== "]"; end++) {
        if (pattern[end] === "\\" && end + 1 < pattern.length) members += literal(pattern[++end]!);
        else if (pattern[end + 1] === "-" && end + 2 < pattern.length && pattern[end + 2] !== "]") {
          const range = [pattern[end]!, pattern[end + 2]!].sort();
          members += `${literal(range[0]!)}-${literal(range[1]!)}`;
          end += 2;
        } else members += literal(pattern[end]!);
      }
      // In Redis, `[]` matches no character and `[^]` matches any.
      text += members === "" ? (negated ? "." : "(?!)") : `[${negated ? "^" : ""}${members}]`;
      i = end;
    } else text += literal(character);
  }
  return text;
}
