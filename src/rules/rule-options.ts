import { Action, checkedStatuses, type ExpectedStatus } from "../model/declare/action.ts";
import { refuseUnknown } from "../model/declare/unknown-options.ts";
import { SeqqaError } from "../model/errors.ts";

/** An action of the agent, or its name. */
export type ActionOrName<C extends object, A> = Action<C, A> | string;

/** Returns the name of an action that an option of a rule names. @throws SeqqaError `RULE_INVALID` if the option is neither an action nor a name */
export function nameOf<C extends object, A>(action: ActionOrName<C, A>, rule: string, option: string): string {
  if (typeof action === "string") return action;
  if (action instanceof Action) return action.name;
  throw invalidOption(rule, option, action, "Pass an Action of the agent or its name");
}

/**
 * Checks that the options of a rule are an object without unknown names.
 * @param known the names of all options of the rule
 * @throws SeqqaError `RULE_INVALID`
 */
export function requireOptions<K extends string>(rule: string, options: unknown, known: Readonly<Record<K, true>>): void {
  const names = Object.keys(known);
  if (typeof options !== "object" || options === null)
    throw invalidOption(rule, "options", options, `Pass an object with ${names.join(", ")}`);
  refuseUnknown(rule, "RULE_INVALID", options, names);
}

/** Checks that the value of an option is a function or an action. @throws SeqqaError `RULE_INVALID` if it is neither */
export function requireCall(rule: string, option: string, value: unknown, hint: string): void {
  if (typeof value !== "function" && !(value instanceof Action)) throw invalidOption(rule, option, value, hint);
}

/** Checks that the value of an option is a list or `undefined`. @throws SeqqaError `RULE_INVALID` if it is neither */
export function requireList(rule: string, option: string, value: unknown, example: string): void {
  if (value !== undefined && !Array.isArray(value)) throw invalidOption(rule, option, value, `Pass a list such as ${example}`);
}

/** Returns the statuses of the option `except`. @throws SeqqaError `RULE_INVALID` */
export function statusesOf(rule: string, except: unknown): readonly ExpectedStatus[] {
  return except === undefined || (Array.isArray(except) && except.length === 0)
    ? []
    : checkedStatuses(`${rule}: \`except\``, "RULE_INVALID", except);
}

function invalidOption(rule: string, option: string, value: unknown, hint: string): SeqqaError {
  const problem = value === undefined ? "is missing" : `has the type ${value === null ? "null" : typeof value}`;
  return new SeqqaError("RULE_INVALID", `${rule}: \`${option}\` ${problem}.`, { exitStatus: 2, hint: `${hint}.` });
}

/** Returns the action with a name. @throws SeqqaError `RULE_INVALID` if the agent has no such action */
export function requireAction<C extends object, A>(actions: readonly Action<C, A>[], rule: string, name: string): Action<C, A> {
  const found = actions.find((action) => action.name === name);
  if (found !== undefined) return found;
  throw new SeqqaError("RULE_INVALID", `${rule}: the Agent has no action "${name}".`, {
    exitStatus: 2,
    hint: `The actions of the Agent are ${actions.map((action) => action.name).join(", ")}.`,
  });
}

/** Matches the name of a column or table in `except`: `users.failed_attempts`, `audit_log.*`. */
const COLUMN = /^[^\s]+\.[^\s]+$/;

/** The option `except` of a rule that compares stores. */
export interface AllowedChanges {
  /** The names of the actions that the rule does not judge. */
  readonly actions: ReadonlySet<string>;
  /** The columns (`table.column`), tables (`table.*`) and stores (`store.*`) that the rule does not compare. */
  readonly columns: readonly string[];
}

/** Parses `except`, a list of actions, columns and tables. Default: nothing is allowed. @throws SeqqaError `RULE_INVALID` */
export function allowedChanges(rule: string, except: unknown): AllowedChanges {
  requireList(rule, "except", except, '["log_in"] or ["users.failed_attempts"]');
  const names = (except ?? []) as readonly unknown[];
  const wrong = names.find((name) => typeof name !== "string");
  if (wrong !== undefined)
    throw invalidOption(rule, "except", wrong, "Name actions, columns (`users.failed_attempts`) and tables (`audit_log.*`)");
  const [actions, columns]: [string[], string[]] = [[], []];
  for (const name of names as readonly string[]) (COLUMN.test(name) ? columns : actions).push(name);
  return { actions: new Set(actions), columns };
}
