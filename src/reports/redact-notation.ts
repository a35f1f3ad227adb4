import { HIDDEN } from "./plain-data.ts";

type IsHidden = (name: string) => boolean;

/**
 * Hides the values of hidden names in what looks like JSON or like a state's lines (`{id: 1, "token": {a: "b"}}`), whole or cut off anywhere: the value
 * goes up to the comma or bracket that ends it, or to the end of the text. `inside` looks at the texts of all other strings.
 */
export function hideInNotation(text: string, isHidden: IsHidden, inside: (text: string) => string): string {
  let out = "";
  let at = 0;
  while (at < text.length) {
    const token = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[\p{L}_$][\p{L}\p{N}_$.-]*/uy;
    token.lastIndex = at;
    const [word] = token.exec(text) ?? [];
    if (word === undefined) {
      out += text[at++]!;
      continue;
    }
    at += word.length;
    const between = /\s*:\s*/y;
    between.lastIndex = at;
    const [colon] = between.exec(text) ?? [];
    if (colon === undefined) {
      out += word.startsWith('"') ? textShown(word, inside) : word;
      continue;
    }
    out += word + colon;
    at += colon.length;
    if (!isHidden(nameOf(word))) continue;
    out += `"${HIDDEN}"`;
    at = endOfValue(text, at);
  }
  return out;
}

/** A line of a state, or of what changed in it: a path, and a value or a row. */
export function hideInLine(line: string, isHidden: IsHidden, inside: (text: string) => string): string {
  const [, path, between, value] = /^((?:[-+] )?(?:"(?:[^"\\]|\\.)*"|[^"\s])*(?: counter)?)( [=+-] |: )([^]*)$/.exec(line) ?? [];
  if (path === undefined || between === undefined || value === undefined) return hideInNotation(line, isHidden, inside);
  const names = path.replace(/^[-+] /, "").match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? [];
  if (names.some((name) => isHidden(nameOf(name)))) return `${path}${between}"${HIDDEN}"`;
  return `${path}${between}${hideInNotation(value, isHidden, inside)}`;
}

function nameOf(word: string): string {
  if (!word.startsWith('"')) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    return word.slice(1);
  }
}

function textShown(literal: string, inside: (text: string) => string): string {
  try {
    const text = JSON.parse(literal) as string;
    const shown = inside(text);
    return shown === text ? literal : JSON.stringify(shown);
  } catch {
    return inside(literal);
  }
}

/** Where the value that begins at `at` ends. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const one = text[i]!;
    if (one === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === "\\") i++;
    } else if (one === "{" || one === "[") depth++;
    else if (one === "}" || one === "]") {
      if (depth-- === 0) return i;
    } else if (one === "," && depth === 0) return i;
  }
  return text.length;
}
