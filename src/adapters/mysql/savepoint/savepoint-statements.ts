import type { Statement } from "./savepoint-kinds.ts";
import { settingOf } from "./savepoint-settings.ts";
import { isWord, splitList, tokensOf, type Token } from "./savepoint-tokens.ts";

const PLAIN: Statement = { kind: "ordinary", opens: true, writes: false };
const WRITES: Statement = { kind: "ordinary", opens: true, writes: true };
const NEUTRAL: Statement = { kind: "ordinary", opens: false, writes: false };
const OPAQUE: Statement = { kind: "opaque" };

/**
 * Matches statements that can be classified by their first word. A text never contains a second statement, because the connection does not allow
 * several statements in one text.
 */
const SURELY_PLAIN = /^\s*(?:select|(insert|update|delete))\b/i;
const KEPT_TEXTS = 500;
const KEPT_LENGTH = 2000;
const known = new Map<string, Statement>();

/** Classifies a statement by its effect on transactions. Placeholders must already be replaced by values. */
export function statementOf(text: string): Statement {
  const plain = SURELY_PLAIN.exec(text);
  if (plain !== null && !/\/\*M?!/.test(text)) return plain[1] === undefined ? PLAIN : WRITES;
  const before = known.get(text);
  if (before !== undefined) return before;
  const statement = classify(text, tokensOf(text));
  if (text.length <= KEPT_LENGTH) {
    if (known.size >= KEPT_TEXTS) known.clear();
    known.set(text, statement);
  }
  return statement;
}

const MIGRATE = "Execute such statements before the target answers target.ready";
const APART = "Remove the statement from the target's code";
const DDL = "the statement implicitly commits the open transaction";

function classify(text: string, tokens: readonly Token[]): Statement {
  const [first, second] = tokens;
  if (first === undefined) return NEUTRAL;
  if (first.kind !== "word") return first.value === "(" ? PLAIN : OPAQUE;
  switch (first.value) {
    case "SELECT":
    case "WITH":
    case "VALUES":
    case "TABLE":
    case "HANDLER":
    case "DO":
      return PLAIN;
    case "INSERT":
    case "UPDATE":
    case "DELETE":
    case "REPLACE":
      return WRITES;
    case "LOAD":
      return isWord(second, "INDEX") ? refused("LOAD INDEX", APART) : WRITES;
    case "SHOW":
    case "DESCRIBE":
    case "DESC":
    case "EXPLAIN":
    case "KILL":
    case "HELP":
    case "PREPARE":
    case "DEALLOCATE":
    case "SIGNAL":
    case "RESIGNAL":
    case "GET":
    case "CHECKSUM":
      return NEUTRAL;
    case "SET":
      return settingOf(text, tokens, (rest) => classify(text, rest));
    case "BEGIN":
      if (second === undefined || (isWord(second, "WORK") && tokens.length === 2)) return { kind: "begin", readOnly: false };
      return OPAQUE;
    case "START":
      if (!isWord(second, "TRANSACTION")) return refused(`START ${second?.value ?? ""}`, APART);
      return { kind: "begin", readOnly: tokens.some((token, at) => isWord(token, "READ") && isWord(tokens[at + 1], "ONLY")) };
    case "COMMIT":
    case "ROLLBACK":
      return endOf(first.value === "COMMIT" ? "commit" : "rollback", tokens.slice(isWord(second, "WORK") ? 2 : 1));
    case "SAVEPOINT":
      return savepoint("savepoint", tokens.slice(1));
    case "RELEASE":
      return isWord(second, "SAVEPOINT") ? savepoint("release", tokens.slice(2)) : NEUTRAL;
    case "TRUNCATE":
      return refused("TRUNCATE", "Use DELETE FROM");
    case "LOCK":
      return refused(
        "LOCK TABLES",
        "Lock rows by SELECT ... FOR UPDATE in a transaction",
        "the statement implicitly commits the open transaction",
      );
    // UNLOCK TABLES has no effect: LOCK TABLES is refused, so no tables are locked.
    case "UNLOCK":
      return { kind: "nothing" };
    case "CREATE":
      return created(text, tokens);
    case "DROP":
      return dropped(text, tokens);
    case "ALTER":
    case "RENAME":
      return refused(`${first.value} ${second?.value ?? ""}`.trim(), MIGRATE);
    case "ANALYZE":
      // ANALYZE without TABLE executes the statement that follows.
      if (!tokens.slice(1, 3).some((token) => isWord(token, "TABLE", "TABLES"))) return WRITES;
      return refused("ANALYZE TABLE", APART);
    case "USE":
      return refused("USE", "Write <database>.<table>", "the connection of a lane must stay in the lane's database");
    case "XA":
      return refused(
        "XA",
        "Use BEGIN and COMMIT",
        "a distributed transaction cannot run inside the transaction that seqqa holds open during the exploration",
      );
    default:
      return ADMINISTRATION.has(first.value) ? refused(first.value, APART) : OPAQUE;
  }
}

/** The first words of further statements that commit implicitly. */
const ADMINISTRATION: ReadonlySet<string> = new Set(
  "OPTIMIZE REPAIR CHECK CACHE FLUSH GRANT REVOKE RESET CHANGE STOP INSTALL UNINSTALL SHUTDOWN RESTART PURGE IMPORT BACKUP CLONE BINLOG".split(" "), // prettier-ignore
);

function refused(what: string, instead: string, why: string = DDL): Statement {
  return { kind: "refused", what, why, instead };
}

function endOf(kind: "commit" | "rollback", rest: readonly Token[]): Statement {
  if (kind === "rollback" && isWord(rest[0], "TO")) return savepoint("rollback to", rest.slice(isWord(rest[1], "SAVEPOINT") ? 2 : 1));
  const words = rest.map(({ value }) => value).join(" ");
  const match = /^(?:AND (NO )?CHAIN)? ?(?:(NO )?RELEASE)?$/.exec(words);
  // The text is not valid SQL. Send the text, so that the server reports the error.
  if (match === null) return NEUTRAL;
  if (words.endsWith("RELEASE") && match[2] === undefined)
    return refused(
      `${kind.toUpperCase()} RELEASE`,
      "Call release() or end() of the connection",
      "the statement closes the shared connection",
    );
  return { kind, chain: words.startsWith("AND CHAIN") };
}

function savepoint(kind: "savepoint" | "release" | "rollback to", rest: readonly Token[]): Statement {
  const [name] = rest;
  if (name === undefined || rest.length > 1) return NEUTRAL;
  if (/^seqqa_/i.test(name.value))
    return refused(`a savepoint named ${name.value.toLowerCase()}`, "Choose another name", "names that begin with seqqa_ are reserved");
  return { kind };
}

function created(text: string, tokens: readonly Token[]): Statement {
  const replaces = isWord(tokens[1], "OR");
  const at = replaces ? 3 : 1;
  if (!isWord(tokens[at], "TEMPORARY")) return refused(`CREATE ${tokens[at]?.value ?? ""}`.trim(), MIGRATE);
  const from = isWord(tokens[at + 2], "IF") ? at + 5 : at + 2;
  const [name] = namesIn(text, tokens.slice(from, from + 3));
  return name === undefined ? NEUTRAL : { kind: "create temporary", name, replaces };
}

function dropped(text: string, tokens: readonly Token[]): Statement {
  if (isWord(tokens[1], "PREPARE")) return NEUTRAL;
  if (!isWord(tokens[1], "TEMPORARY")) {
    const what = `DROP ${tokens[1]?.value ?? ""}`.trim();
    return refused(
      what,
      what === "DROP TABLE"
        ? "Drop temporary tables with DROP TEMPORARY TABLE, and drop other tables before the target answers target.ready"
        : MIGRATE,
    );
  }
  const names = splitList(tokens.slice(isWord(tokens[3], "IF") ? 5 : 3));
  return { kind: "drop temporary", names: names.flatMap((part) => namesIn(text, part)) };
}

/** Returns the table name at the beginning of the tokens, as written in the text. Includes the name of the database if the text contains it. */
function namesIn(text: string, tokens: readonly Token[]): string[] {
  const [name, dot, second] = tokens;
  if (name === undefined || (name.kind !== "word" && name.kind !== "name")) return [];
  return [text.slice(name.start, dot?.value === "." ? second?.end : name.end)];
}
