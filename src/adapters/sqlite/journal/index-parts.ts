import { isWord, tokenize, type Token } from "../connect/sql-text.ts";

/** The parts of a CREATE INDEX statement: the indexed terms without COLLATE and ASC/DESC, and the WHERE expression. */
export interface IndexParts {
  readonly terms: readonly string[];
  readonly where: string | undefined;
}

/** Parses `CREATE UNIQUE INDEX ... ON table (terms) [WHERE expression]`. Returns `undefined` for any other form. */
export function indexParts(sql: string): IndexParts | undefined {
  const tokens = tokenize(sql);
  // The first ON token is the keyword: an index named ON would have to be quoted.
  const on = tokens.findIndex((token) => isWord(token, "ON"));
  const open = on < 0 ? -1 : tokens.findIndex((token, i) => i > on + 1 && isWord(token, "("));
  if (open < 0) return undefined;
  const terms: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let i = open; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (isWord(token, "(")) depth++;
    if (isWord(token, ")")) depth--;
    if (depth === 0 || (depth === 1 && isWord(token, ","))) {
      const term = termText(sql, tokens.slice(from, i));
      if (term === undefined) return undefined;
      terms.push(term);
      from = i + 1;
    }
    if (depth === 0) {
      const rest = tokens.slice(i + 1).filter((one) => !isWord(one, ";"));
      if (rest.length === 0) return { terms, where: undefined };
      const last = rest[rest.length - 1] as Token;
      return isWord(rest[0], "WHERE") && rest.length > 1 ? { terms, where: sql.slice((rest[1] as Token).start, last.end) } : undefined;
    }
  }
  return undefined;
}

/** Returns an indexed term without COLLATE and ASC/DESC. `undefined` if the term cannot be parsed. Collations come from `pragma index_xinfo`. */
function termText(sql: string, tokens: readonly Token[]): string | undefined {
  let end = tokens.length;
  if (isWord(tokens[end - 1], "ASC") || isWord(tokens[end - 1], "DESC")) end--;
  if (end >= 3 && isWord(tokens[end - 2], "COLLATE")) end -= 2;
  const first = tokens[0];
  const last = tokens[end - 1];
  return first === undefined || last === undefined ? undefined : sql.slice(first.start, last.end);
}

/**
 * Replaces each column name in an SQL expression by the text that `about(column)` returns, for example by `NEW.column`. Returns `undefined` if the
 * expression contains a name that cannot be resolved.
 */
export function rewriteColumns(
  expression: string,
  columns: ReadonlySet<string>,
  about: (column: string) => string,
): { readonly sql: string; readonly used: readonly string[] } | undefined {
  const tokens = tokenize(expression);
  const used: string[] = [];
  let sql = "";
  let at = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== "name" && token.kind !== "quoted") continue;
    const before = tokens[i - 1];
    // A function, a collation or a CAST type can have the same name as a column. Skip such names.
    if (isWord(tokens[i + 1], "(") || isWord(before, "COLLATE") || isWord(before, "AS")) continue;
    if (isWord(before, ".") || isWord(tokens[i + 1], ".")) return undefined;
    const column = token.value.toLowerCase();
    if (!columns.has(column)) {
      // An unquoted word that is not a column is an operator or a literal (AND, NULL, TRUE). A quoted word that is not a column may be a string, as
      // SQLite allows.
      if (token.kind === "quoted" || ROWID_NAMES.has(column)) return undefined;
      continue;
    }
    sql += expression.slice(at, token.start) + about(column);
    at = token.end;
    used.push(column);
  }
  return { sql: sql + expression.slice(at), used };
}

const ROWID_NAMES: ReadonlySet<string> = new Set(["rowid", "_rowid_", "oid"]);
