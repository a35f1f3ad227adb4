export interface Token {
  readonly kind: "word" | "quoted" | "string" | "symbol";
  /** The token's text: a word in upper case, the content of a string or quoted name, or a symbol. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const PATTERN =
  /\s+|--[^\n]*|(?<escaped>[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$))|(?<string>'(?:[^']|'')*(?:'|$))|(?<quoted>"(?:[^"]|"")*(?:"|$))|(?<word>[\p{L}_\u0080-\uffff][\p{L}\p{N}_$\u0080-\uffff]*)|(?<dollar>\$(?:[\p{L}_\u0080-\uffff][\p{L}\p{N}_\u0080-\uffff]*)?\$)|(?<symbol>\$?\d[\p{L}\p{N}_.]*|[\s\S])/uy;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("/*", at)) {
      at = endOfComment(text, at);
      continue;
    }
    PATTERN.lastIndex = at;
    const groups = PATTERN.exec(text)?.groups ?? {};
    const start = at;
    at = Math.max(PATTERN.lastIndex, at + 1);
    if (groups["dollar"] !== undefined) {
      const close = text.indexOf(groups["dollar"], at);
      const end = close < 0 ? text.length : close;
      tokens.push({ kind: "string", value: text.slice(at, end), start, end: (at = Math.min(text.length, end + groups["dollar"].length)) });
    } else if (groups["word"] !== undefined) tokens.push({ kind: "word", value: upper(groups["word"]), start, end: at });
    else if (groups["quoted"] !== undefined) {
      tokens.push({ kind: "quoted", value: groups["quoted"].slice(1, -1).replaceAll('""', '"'), start, end: at });
    } else if (groups["string"] !== undefined || groups["escaped"] !== undefined) {
      const inner = (groups["string"] ?? groups["escaped"]!.slice(1)).slice(1, -1);
      tokens.push({ kind: "string", value: inner.replaceAll("''", "'"), start, end: at });
    } else if (groups["symbol"] !== undefined) tokens.push({ kind: "symbol", value: groups["symbol"], start, end: at });
  }
  return tokens;
}

/** Converts only ASCII letters to upper case. The server treats unquoted names in the same way. */
function upper(word: string): string {
  return word.replaceAll(/[a-z]+/g, (part) => part.toUpperCase());
}

export function lower(word: string): string {
  return word.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());
}

/** Returns the position after a block comment. A block comment may contain other block comments. */
function endOfComment(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith("/*", at)) depth++;
    else if (text.startsWith("*/", at)) depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Splits a text into statements at semicolons. Ignores semicolons inside parentheses (CREATE RULE) and inside a routine's BEGIN ATOMIC ... END. */
export function splitStatements(text: string): Token[][] {
  const statements: Token[][] = [];
  let current: Token[] = [];
  let parentheses = 0;
  let blocks = 0;
  for (const token of tokenize(text)) {
    const { kind, value } = token;
    if (kind === "symbol" && value === "(") parentheses++;
    else if (kind === "symbol" && value === ")") parentheses = Math.max(0, parentheses - 1);
    else if (kind === "symbol" && value === ";" && parentheses === 0 && blocks === 0) {
      if (current.length > 0) statements.push(current);
      current = [];
      continue;
    } else if (kind === "word" && blocks > 0) {
      if (value === "CASE" || value === "BEGIN") blocks++;
      else if (value === "END") blocks--;
    } else if (kind === "word" && value === "ATOMIC" && isWord(current[0], "CREATE") && isWord(current[current.length - 1], "BEGIN"))
      blocks = 1;
    current.push(token);
  }
  if (current.length > 0) statements.push(current);
  return statements;
}

export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === "word" && words.includes(token.value);
}
