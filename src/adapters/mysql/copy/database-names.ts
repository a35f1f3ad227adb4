import { quoteName } from "../connect/sql-text.ts";
import { tokensOf, type Token } from "../savepoint/savepoint-tokens.ts";

/** The names that {@link renamed} needs: the present name of a database, its name in the copy, and the names of its objects. */
export interface Naming {
  readonly from: string;
  /** The name of the copy. `undefined` to remove the name, so that a definition can be executed in any copy. */
  readonly to: string | undefined;
  /** The names of the objects of the database. */
  readonly objects: ReadonlySet<string>;
  /** `true` if the server does not distinguish upper and lower case in names of databases. */
  readonly ignoresCase: boolean;
}

/**
 * Returns a definition in which the name of the copy replaces the name of the database. `mode`: the `sql_mode` with which the definition was made.
 *
 * `shop.id` may also be a column of a table or alias `shop`. If the definition contains such a table or alias, only names of existing objects are
 * changed.
 */
export function renamed(text: string, { from, to, objects, ignoresCase }: Naming, mode = ""): string {
  const quotes = mode.split(",").includes("ANSI_QUOTES");
  const nameOf = (token: Token | undefined): string | undefined => {
    if (token?.kind === "name") return token.value;
    if (token?.kind === "word") return text.slice(token.start, token.end);
    return token?.kind === "string" && quotes && text[token.start] === '"' ? token.value.replaceAll('""', '"') : undefined;
  };
  const same = (name: string | undefined): boolean =>
    name !== undefined && (name === from || (ignoresCase && name.toLowerCase() === from.toLowerCase()));
  const tokens = tokensOf(text);
  const isSymbol = (at: number, ...symbols: readonly string[]): boolean =>
    tokens[at]?.kind === "symbol" && symbols.includes(tokens[at].value);
  const found = tokens.flatMap((token, at) => (same(nameOf(token)) && !isSymbol(at - 1, ".") ? [at] : []));
  const isTable = found.some((at) => !isSymbol(at + 1, ".", "@"));
  let result = "";
  let end = 0;
  for (const at of found) {
    const next = tokens[at + 2];
    if (!isSymbol(at + 1, ".") || next === undefined) continue;
    if (isTable && !objects.has(nameOf(next) ?? "")) continue;
    result += text.slice(end, tokens[at]!.start) + (to === undefined ? "" : quoteName(to));
    end = to === undefined ? next.start : tokens[at]!.end;
  }
  return result + text.slice(end);
}
