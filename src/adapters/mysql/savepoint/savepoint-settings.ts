import type { Statement } from "./savepoint-kinds.ts";
import { isWord, splitList, type Token } from "./savepoint-tokens.ts";

const ORDINARY: Statement = { kind: "ordinary", opens: false, writes: false };
const OF_TRANSACTIONS: ReadonlySet<string> = new Set(["TX_ISOLATION", "TRANSACTION_ISOLATION", "TX_READ_ONLY", "TRANSACTION_READ_ONLY"]);

export function settingOf(text: string, tokens: readonly Token[], classify: (rest: readonly Token[]) => Statement): Statement {
  const second = tokens[1];
  if (isWord(second, "STATEMENT")) {
    const at = tokens.findIndex((token) => isWord(token, "FOR"));
    const inner = classify(tokens.slice(at + 1));
    if (at < 0 || inner.kind === "ordinary" || inner.kind === "opaque") return inner;
    return refused(
      `SET STATEMENT ... FOR ${tokens[at + 1]?.value ?? ""}`,
      "the inner statement could end the transaction that seqqa holds open during the exploration",
      "Send the inner statement without SET STATEMENT ... FOR",
    );
  }
  if (isWord(second, "PASSWORD") || (isWord(second, "DEFAULT") && isWord(tokens[2], "ROLE")))
    return refused(
      `SET ${second?.value ?? ""}`,
      "the statement implicitly commits the open transaction",
      "Remove the statement from the target's code",
    );
  if (isWord(second, "TRANSACTION")) {
    return { kind: "set transaction", readOnly: tokens.some((token, at) => isWord(token, "READ") && isWord(tokens[at + 1], "ONLY")) };
  }
  return ofList(text, splitList(tokens.slice(1)));
}

function ofList(text: string, settings: readonly (readonly Token[])[]): Statement {
  const at = settings.findIndex((one) => assigned(one)?.name === "AUTOCOMMIT");
  if (at < 0) {
    const only = settings.length === 1 ? assigned(settings[0]!) : undefined;
    if (only === undefined || only.scoped || !OF_TRANSACTIONS.has(only.name)) return ORDINARY;
    return { kind: "set transaction", readOnly: only.name.endsWith("READ_ONLY") && switched(only.value) === true };
  }
  const on = switched(assigned(settings[at]!)!.value);
  if (on === undefined) return refused("SET autocommit", "seqqa cannot read the new value from the statement", "Write 0 or 1");
  const others = settings.filter((_, i) => i !== at).map((one) => text.slice(one[0]?.start ?? 0, one[one.length - 1]?.end ?? 0));
  return { kind: "autocommit", on, rest: others.length === 0 ? undefined : `SET ${others.join(", ")}` };
}

interface Assigned {
  readonly name: string;
  /** `true` if the assignment names the scope SESSION or LOCAL. Without a scope, a transaction setting applies only to the next transaction. */
  readonly scoped: boolean;
  readonly value: readonly Token[];
}

/** Parses an assignment of a SET statement. Returns `undefined` if the assignment does not set a session variable. */
function assigned(tokens: readonly Token[]): Assigned | undefined {
  const equals = tokens.findIndex(({ kind, value }) => kind === "symbol" && (value === "=" || value === ":="));
  if (equals < 0) return undefined;
  const words = tokens.slice(0, equals).filter(({ value }) => value !== "@@" && value !== ".");
  const name = words[words.length - 1];
  if (name === undefined || (name.kind !== "word" && name.kind !== "name") || words.some(({ value }) => value === "@")) return undefined;
  const scopes = words.slice(0, -1).map(({ value }) => value.toUpperCase());
  if (scopes.some((scope) => scope !== "SESSION" && scope !== "LOCAL")) return undefined;
  return { name: name.value.toUpperCase(), scoped: scopes.length > 0, value: tokens.slice(equals + 1) };
}

function switched(value: readonly Token[]): boolean | undefined {
  if (value.length !== 1) return undefined;
  const text = value[0]!.value.toUpperCase();
  if (/^(?:1|ON|TRUE|DEFAULT)$/.test(text)) return true;
  return /^(?:0|OFF|FALSE)$/.test(text) ? false : undefined;
}

function refused(what: string, why: string, instead: string): Statement {
  return { kind: "refused", what, why, instead };
}
