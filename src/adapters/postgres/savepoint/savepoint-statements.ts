import type { Ending } from "./savepoint-endings.ts";
import { isWord, lower, splitStatements, type Token } from "./savepoint-tokens.ts";

/** The effect that a statement has on the transaction in which it is executed. */
export type Control =
  | { readonly kind: "begin"; readonly tag: string; readonly readOnly: boolean | undefined }
  | { readonly kind: "commit" | "rollback"; readonly chain: boolean }
  /** A statement that sets, releases or rolls back to a savepoint of the target. */
  | { readonly kind: "savepoint" | "release" | "rollback to"; readonly tag: string; readonly name: string }
  | { readonly kind: "set transaction"; readonly readOnly: boolean | undefined }
  | { readonly kind: "set constraints" }
  | { readonly kind: "two-phase"; readonly tag: string }
  /** Any other statement that fails outside of a transaction block. */
  | { readonly kind: "block only"; readonly tag: string };

/** A setting that a statement changes for the rest of the transaction (SET LOCAL, set_config). */
export interface LocalSetting {
  /** The name of the setting. A number is the position (from 1) of the parameter that contains the name. */
  readonly name: string | number;
  /** The position of a boolean parameter. If the parameter is true, the change applies to the transaction only. */
  readonly onlyIf?: number | undefined;
}

export interface Statement {
  readonly text: string;
  readonly start: number;
  readonly control: Control | undefined;
  readonly locals: readonly LocalSetting[];
  readonly ending: Ending | undefined;
}

/** Matches words that can affect transactions. A text without such a word is sent unchanged and need not be parsed. */
const INTERESTING =
  /\b(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare|constraints|lock|declare|on\s+commit|set_config|set\s+(?:\/\*.*?\*\/\s*)*(?:local|session|transaction))\b/is;

const KEPT_TEXTS = 500;
const KEPT_LENGTH = 2000;
const known = new Map<string, readonly Statement[]>();

/** Splits a text into statements and classifies each statement by its effect on transactions. Leaves out empty statements. */
export function statementsOf(text: string): readonly Statement[] {
  if (!INTERESTING.test(text)) return [{ text, start: 0, control: undefined, locals: [], ending: undefined }];
  const before = known.get(text);
  if (before !== undefined) return before;
  const statements = splitStatements(text).map((tokens) => statementOf(text, tokens));
  if (text.length <= KEPT_LENGTH) {
    if (known.size >= KEPT_TEXTS) known.clear();
    known.set(text, statements);
  }
  return statements;
}

/** Returns `true` if a text contains the statement LISTEN. */
export function listens(text: string): boolean {
  return /\blisten\b/i.test(text) && splitStatements(text).some(([first]) => isWord(first, "LISTEN"));
}

function statementOf(text: string, tokens: readonly Token[]): Statement {
  const start = tokens[0]?.start ?? 0;
  return {
    text: text.slice(start, tokens[tokens.length - 1]?.end ?? start),
    start,
    control: controlOf(tokens),
    locals: localsOf(tokens),
    ending: endingOf(tokens),
  };
}

/**
 * Returns the effect of a statement on transactions. Returns `undefined` if the statement has no effect, or is not valid SQL. The server reports
 * invalid SQL.
 */
function controlOf(tokens: readonly Token[]): Control | undefined {
  const [first, second, third] = tokens;
  if (first?.kind !== "word") return undefined;
  switch (first.value) {
    case "BEGIN":
      return begin("BEGIN", tokens.slice(isWord(second, "WORK", "TRANSACTION") ? 2 : 1));
    case "START":
      return isWord(second, "TRANSACTION") ? begin("START TRANSACTION", tokens.slice(2)) : undefined;
    case "COMMIT":
    case "END":
    case "ROLLBACK":
    case "ABORT": {
      if (isWord(second, "PREPARED")) return { kind: "two-phase", tag: `${first.value} PREPARED` };
      const rest = tokens.slice(isWord(second, "WORK", "TRANSACTION") ? 2 : 1);
      if (first.value === "ROLLBACK" && isWord(rest[0], "TO")) return ofSavepoint("rollback to", "ROLLBACK TO SAVEPOINT", rest.slice(1));
      return end(first.value === "COMMIT" || first.value === "END" ? "commit" : "rollback", rest);
    }
    case "SAVEPOINT":
      return ofSavepoint("savepoint", "SAVEPOINT", tokens.slice(1));
    case "RELEASE":
      return ofSavepoint("release", "RELEASE SAVEPOINT", tokens.slice(1));
    case "PREPARE":
      return isWord(second, "TRANSACTION") ? { kind: "two-phase", tag: "PREPARE TRANSACTION" } : undefined;
    case "LOCK":
      return { kind: "block only", tag: "LOCK TABLE" };
    case "DECLARE":
      return endingOf(tokens) === undefined ? undefined : { kind: "block only", tag: "DECLARE CURSOR" };
    case "SET": {
      if (isWord(second, "CONSTRAINTS")) return { kind: "set constraints" };
      const at = isWord(second, "LOCAL", "SESSION") ? 2 : 1;
      if (!isWord(at === 2 ? third : second, "TRANSACTION") || isWord(tokens[at + 1], "SNAPSHOT")) return undefined;
      const modes = modesOf(tokens.slice(at + 1));
      return modes === undefined || tokens.length === at + 1 ? undefined : { kind: "set transaction", ...modes };
    }
    default:
      return undefined;
  }
}

function ofSavepoint(kind: "savepoint" | "release" | "rollback to", tag: string, rest: readonly Token[]): Control {
  const name = rest[kind !== "savepoint" && rest.length > 1 && isWord(rest[0], "SAVEPOINT") ? 1 : 0];
  return { kind, tag, name: name?.kind === "word" ? lower(name.value) : (name?.value ?? "") };
}

function begin(tag: string, rest: readonly Token[]): Control | undefined {
  const modes = modesOf(rest);
  return modes === undefined ? undefined : { kind: "begin", tag, ...modes };
}

function end(kind: "commit" | "rollback", rest: readonly Token[]): Control | undefined {
  const words = rest.map(({ value }) => value).join(" ");
  if (words === "" || words === "AND NO CHAIN") return { kind, chain: false };
  return words === "AND CHAIN" ? { kind, chain: true } : undefined;
}

const MODE =
  /^(?:ISOLATION LEVEL (?:SERIALIZABLE|REPEATABLE READ|READ COMMITTED|READ UNCOMMITTED)|READ ONLY|READ WRITE|(?:NOT )?DEFERRABLE)(?: ?, ?| |$)/;

/**
 * Parses the modes of BEGIN or SET TRANSACTION. Returns `undefined` if the text is not a list of modes. Ignores isolation levels, because nobody else
 * writes on this connection.
 */
function modesOf(tokens: readonly Token[]): { readonly readOnly: boolean | undefined } | undefined {
  let rest = tokens.map(({ value }) => value).join(" ");
  let readOnly: boolean | undefined;
  while (rest !== "") {
    const mode = MODE.exec(rest)?.[0];
    if (mode === undefined) return undefined;
    if (mode.startsWith("READ ONLY")) readOnly = true;
    else if (mode.startsWith("READ WRITE")) readOnly = false;
    rest = rest.slice(mode.length);
  }
  return { readOnly };
}

/** Forms of SET LOCAL that do not begin with the name of the setting, such as SET LOCAL ROLE. Each entry: the first word and the changed setting. */
const SPELLINGS: Readonly<Record<string, string>> = {
  TIME: "timezone",
  ROLE: "role",
  SESSION: "session_authorization",
  SCHEMA: "search_path",
  NAMES: "client_encoding",
  XML: "xmloption",
};

function localsOf(tokens: readonly Token[]): LocalSetting[] {
  const locals: LocalSetting[] = [];
  if (isWord(tokens[0], "SET") && isWord(tokens[1], "LOCAL") && !isWord(tokens[2], "TRANSACTION")) {
    const name = settingName(tokens, 2);
    if (name !== undefined) locals.push({ name });
  }
  for (let at = 0; at < tokens.length; at++) {
    if (!isWord(tokens[at], "SET_CONFIG") || tokens[at + 1]?.value !== "(" || tokens[at + 3]?.value !== ",") continue;
    const [name, local] = [tokens[at + 2]!, thirdArgument(tokens, at + 4)];
    if (isWord(local, "FALSE") || (local?.kind === "string" && /^(?:f|false|no|off|0)$/i.test(local.value))) continue;
    const onlyIf = parameter(local);
    if (name.kind === "string") locals.push({ name: name.value, onlyIf });
    else if (parameter(name) !== undefined) locals.push({ name: parameter(name)!, onlyIf });
  }
  return locals;
}

function parameter(token: Token | undefined): number | undefined {
  return token?.kind === "symbol" && /^\$\d+$/.test(token.value) ? Number(token.value.slice(1)) : undefined;
}

function thirdArgument(tokens: readonly Token[], from: number): Token | undefined {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { kind, value } = tokens[at]!;
    if (kind !== "symbol") continue;
    if (value === "(" || value === "[") depth++;
    else if (value === ")" || value === "]") depth--;
    else if (value === "," && depth === 0) return tokens[at + 1];
  }
  return undefined;
}

function settingName(tokens: readonly Token[], at: number): string | undefined {
  const first = tokens[at];
  if (first === undefined || (first.kind !== "word" && first.kind !== "quoted")) return undefined;
  const follows = tokens[at + 1];
  const plain = follows?.value === "=" || isWord(follows, "TO") || follows?.value === ".";
  if (first.kind === "word" && !plain) return SPELLINGS[first.value];
  const names = [first.kind === "word" ? lower(first.value) : first.value];
  for (let dot = at + 1; tokens[dot]?.value === "." && tokens[dot + 1] !== undefined; dot += 2) {
    const next = tokens[dot + 1]!;
    names.push(next.kind === "word" ? lower(next.value) : next.value);
  }
  return names.join(".");
}

/** Returns the cursor or temporary table that a statement creates and that COMMIT will remove or empty, or `undefined`. */
function endingOf(tokens: readonly Token[]): Ending | undefined {
  const follow = (...words: readonly string[]): number =>
    tokens.findIndex((_, at) => words.every((word, i) => isWord(tokens[at + i], word)));
  const nameAt = (at: number): string | undefined => {
    const token = tokens[at];
    return token?.kind === "word" ? lower(token.value) : token?.kind === "quoted" ? token.value : undefined;
  };
  if (isWord(tokens[0], "DECLARE")) {
    const name = nameAt(1);
    return name === undefined || follow("CURSOR") < 0 || follow("WITH", "HOLD") >= 0 ? undefined : { kind: "cursor", name };
  }
  if (!isWord(tokens[0], "CREATE")) return undefined;
  const commit = follow("ON", "COMMIT");
  const kind = isWord(tokens[commit + 2], "DROP") ? "temporary table" : isWord(tokens[commit + 2], "DELETE") ? "temporary rows" : undefined;
  if (commit < 0 || kind === undefined) return undefined;
  const table = follow("TABLE");
  const at = isWord(tokens[table + 1], "IF") ? table + 4 : table + 1;
  const name = nameAt(tokens[at + 1]?.value === "." ? at + 2 : at);
  return table < 0 || name === undefined ? undefined : { kind, name };
}
