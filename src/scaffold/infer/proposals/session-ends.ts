import type { PlannedAction, ProposedSessionEnds } from "../plan.ts";
import { squashed } from "../resources/words.ts";
import { says } from "./says.ts";

const LOGS_OUT = /logout|signout|logoff/;
const ENDS_ALL =
  /(?:change|update|reset|set)(?:my|own|user|the|your)?password|passwordchange|(?:logout|signout)(?:all|everywhere)|revoke(?:all)?sessions$/;
const OTHERS = /all|other|everywhere/;
/** Matches segments of URL paths for the caller's own data, such as `me`. Only a user who is logged in can read such data. */
const OWN = /^(?:me|self|current|currentuser|whoami|profile|account|user|userinfo)$/;

/**
 * Finds operations that end sessions, and a request that succeeds only while the session is valid. This request reads the caller's own data or, if no
 * operation does so, a list that needs authentication. Operations that end sessions are found only by their names and paths. Their descriptions are
 * not searched, because descriptions often mention other operations.
 */
export function findSessionEnds(actions: readonly PlannedAction[]): ProposedSessionEnds | undefined {
  const writes = actions
    .filter(({ operation: { method } }) => method !== "get" && method !== "head")
    .map((action) => ({ action, named: { ...action, operation: { ...action.operation, summary: undefined, description: undefined } } }));
  const logout = writes.filter(({ named }) => says(named, LOGS_OUT, OTHERS)).map(({ action }) => action);
  const after = writes
    .filter(({ action, named }) => says(named, ENDS_ALL) && isOfCaller(action) && !logout.includes(action))
    .map(({ action }) => action);
  const check = actions.find(isOwnData) ?? actions.find((one) => one.kind === "list" && isPlain(one));
  return check === undefined || logout.length + after.length === 0 ? undefined : { check, logout, after };
}

/** Returns `true` for a request that needs no id. Such a request ends sessions of the user who sends it. */
function isOfCaller({ needs }: PlannedAction): boolean {
  return needs.length === 0;
}

function isOwnData(action: PlannedAction): boolean {
  const last = action.operation.path.split("/").findLast((part) => part !== "") ?? "";
  return isPlain(action) && OWN.test(squashed(last));
}

/** Returns `true` for a GET request that needs authentication but no parameters. */
function isPlain({ operation, needs, parameters }: PlannedAction): boolean {
  const { method, security } = operation;
  return (
    method === "get" && needs.length === 0 && parameters.length === 0 && security.length > 0 && security.every((one) => one.length > 0)
  );
}
