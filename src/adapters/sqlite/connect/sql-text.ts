export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export interface Token {
  readonly kind: "name" | "quoted" | "string" | "number" | "symbol";
  readonly text: string;
  /** The token's text. A quoted name is given without its quotes. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const PATTERN =
  /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<string>[xX]?'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<name>[\p{L}_\u0080-\uffff][\p{L}\p{N}_$\u0080-\uffff]*)|(?<number>(?:\d|\.\d)[0-9a-zA-Z.]*)|(?<symbol>->>|->|\|\||<<|>>|<=|>=|<>|!=|==|[\s\S])/uy;

/** Splits SQL into tokens. White space and comments are dropped. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < sql.length) {
    const start = PATTERN.lastIndex;
    const match = PATTERN.exec(sql);
    if (match === null) break;
    const end = PATTERN.lastIndex;
    const groups = match.groups ?? {};
    for (const kind of ["string", "quoted", "name", "number", "symbol"] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text, value: kind === "quoted" ? unquote(text) : text, start, end });
    }
  }
  return tokens;
}

function unquote(text: string): string {
  const quote = text[0] as string;
  const inner = text.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token !== undefined && (token.kind === "name" || token.kind === "symbol") && token.text.toUpperCase() === word;
}
