/** Matches a character that can end an expression in JavaScript. A slash after such a character is a division, not a regular expression. */
const ENDS_EXPRESSION = /[\w$)\]}"'`]/;
const KEYWORD_BEFORE_REGEX = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await|instanceof)$/;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "0": "\0" };

/**
 * Returns the different string literals, and the fixed parts of templates, with at least `minLength` characters. The code is JavaScript that the
 * bundler printed. The code is scanned without a parser, so a regular expression may be mistaken for a division, which adds or loses some literals.
 * Such mistakes matter little, because a literal is only used if it equals an id in a store.
 */
export function stringLiterals(code: string, minLength: number): readonly string[] {
  const found = new Set<string>();
  const keep = (text: string): void => {
    if (text.length >= minLength) found.add(text);
  };
  /** For each `${` that is not closed yet, the number of open braces after it. */
  const templates: number[] = [];
  let at = 0;

  const template = (): void => {
    let text = "";
    for (; at < code.length; at++) {
      const char = code[at];
      if (char === "\\") text += escaped();
      else if (char === "`" || (char === "$" && code[at + 1] === "{")) {
        if (char === "$") templates.push(0);
        at += char === "$" ? 2 : 1;
        return keep(text);
      } else text += char;
    }
  };

  const quoted = (quote: string): void => {
    let text = "";
    for (at++; at < code.length && code[at] !== quote; at++) text += code[at] === "\\" ? escaped() : code[at];
    at++;
    keep(text);
  };

  /** Returns the character of an escape sequence, and moves `at` to the last character of the sequence. */
  const escaped = (): string => {
    const hex = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\})/i.exec(code.slice(at, at + 12));
    if (hex !== null) {
      at += hex[0].length - 1;
      return String.fromCodePoint(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16));
    }
    const char = code[++at] ?? "";
    return char === "\n" ? "" : (ESCAPES[char] ?? char);
  };

  const regex = (): void => {
    let inClass = false;
    for (at++; at < code.length && code[at] !== "\n"; at++) {
      const char = code[at];
      if (char === "\\") at++;
      else if (char === "[") inClass = true;
      else if (char === "]") inClass = false;
      else if (char === "/" && !inClass) break;
    }
    at++;
  };

  const startsRegex = (): boolean => {
    const before = code.slice(Math.max(0, at - 40), at).trimEnd();
    return before === "" || !ENDS_EXPRESSION.test(before.at(-1) ?? "") || KEYWORD_BEFORE_REGEX.test(before);
  };

  while (at < code.length) {
    const char = code[at] ?? "";
    const open = templates.length - 1;
    if (char === '"' || char === "'") quoted(char);
    else if (char === "`") {
      at++;
      template();
    } else if (char === "/" && code[at + 1] === "/") at = after("\n");
    else if (char === "/" && code[at + 1] === "*") at = after("*/");
    else if (char === "/" && startsRegex()) regex();
    else if (char === "}" && templates[open] === 0) {
      templates.pop();
      at++;
      template();
    } else {
      if (open >= 0 && (char === "{" || char === "}")) templates[open] = (templates[open] ?? 0) + (char === "{" ? 1 : -1);
      at++;
    }
  }
  return [...found];

  function after(end: string): number {
    const next = code.indexOf(end, at + 2);
    return next === -1 ? code.length : next + end.length;
  }
}
