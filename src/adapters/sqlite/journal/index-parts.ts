import { isWord, tokenize, type Token } from "../connect/sql-text.ts";

/** The parts of a CREATE INDEX statement: its terms without COLLATE and ASC/DESC, and its WHERE expression. */
export interface IndexParts {
  readonly terms: readonly string[];
  readonly where: string | undefined;
}

/** Parses `CREATE UNIQUE INDEX ... ON table (terms) [WHERE expression]`. Returns `undefined` for any other form. */
export function indexParts(sql: string): IndexParts | undefined {
  const tokens = tokenize(sql);
  // The first ON is the keyword, because a name before the list that is a keyword has to be quoted.
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

/** Returns a term without its ordering and collation. The collation is read from `pragma index_xinfo` instead. */
function termText(sql: string, tokens: readonly Token[]): string | undefined {
  let end = tokens.length;
  if (isWord(tokens[end - 1], "ASC") || isWord(tokens[end - 1], "DESC")) end--;
  if (end >= 3 && isWord(tokens[end - 2], "COLLATE")) end -= 2;
  const first = tokens[0];
  const last = tokens[end - 1];
  return first === undefined || last === undefined ? undefined : sql.slice(first.start, last.end);
}

/**
 * Rewrites an expression over a table's columns for another row: each column is replaced by `about(column)`. Returns `undefined` if the expression
 * contains a name that cannot be resolved.
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
    // The name of a function, a collation or a CAST type is not a column, even if a column has the same name.
    if (isWord(tokens[i + 1], "(") || isWord(before, "COLLATE") || isWord(before, "AS")) continue;
    if (isWord(before, ".") || isWord(tokens[i + 1], ".")) return undefined;
    const column = token.value.toLowerCase();
    if (!columns.has(column)) {
      // An unquoted word that is not a column is an operator or a literal (AND, NULL, TRUE). A quoted one could be a string in old SQLite.
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
