export interface Token {
  readonly kind: "word" | "name" | "string" | "symbol";
  /** The token's text: a word in upper case, the content of a quoted name or string, or a symbol. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const PATTERN =
  /\s+|#[^\n]*|--(?=[\s\p{Cc}]|$)[^\n]*|(?<opens>\/\*M?!\d*)|\/\*[\s\S]*?(?:\*\/|$)|(?<closes>\*\/)|(?<string>'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$))|(?<name>`(?:[^`]|``)*(?:`|$))|(?<word>[\p{L}_$\u0080-\uffff][\p{L}\p{N}_$\u0080-\uffff]*)|(?<symbol>\d[\p{L}\p{N}_.$]*|@@|:=|[\s\S])/uy;

/** Splits SQL into tokens. Comments are dropped, but the content of executable comments (`/*!`) is included. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let executable = 0;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < text.length) {
    const start = PATTERN.lastIndex;
    const found = PATTERN.exec(text);
    if (found === null) break;
    const end = PATTERN.lastIndex;
    const { opens, closes, string, name, word, symbol } = found.groups ?? {};
    if (opens !== undefined) executable++;
    else if (closes !== undefined) {
      if (executable > 0) executable--;
      else tokens.push({ kind: "symbol", value: closes, start, end });
    } else if (string !== undefined) tokens.push({ kind: "string", value: string.slice(1, -1), start, end });
    else if (name !== undefined) tokens.push({ kind: "name", value: name.slice(1, -1).replaceAll("``", "`"), start, end });
    else if (word !== undefined) tokens.push({ kind: "word", value: word.toUpperCase(), start, end });
    else if (symbol !== undefined) tokens.push({ kind: "symbol", value: symbol, start, end });
  }
  while (tokens[tokens.length - 1]?.value === ";") tokens.pop();
  return tokens;
}

export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === "word" && words.includes(token.value);
}

export function splitList(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === "symbol" && token.value === "(") depth++;
    else if (token.kind === "symbol" && token.value === ")") depth--;
    if (depth === 0 && token.kind === "symbol" && token.value === ",") parts.push([]);
    else parts[parts.length - 1]!.push(token);
  }
  return parts;
}
