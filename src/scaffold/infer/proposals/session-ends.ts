import type { PlannedAction, ProposedSessionEnds } from "../plan.ts";
import { squashed } from "../resources/words.ts";
import { says } from "./says.ts";

const LOGS_OUT = /logout|signout|logoff/;
const ENDS_ALL =
  /(?:change|update|reset|set)(?:my|own|user|the|your)?password|passwordchange|(?:logout|signout)(?:all|everywhere)|revoke(?:all)?sessions$/;
const OTHERS = /all|other|everywhere/;
/** Paths that only a user who is logged in gets. */
const OWN = /^(?:me|self|current|currentuser|whoami|profile|account|user|userinfo)$/;

/**
 * Finds the operations that end sessions, by their names, and a request that works as long as a session does: the caller's own data, else a list
 * that needs authentication. Only names count: what a description mentions need not be what the operation does.
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

/** Returns `true` for a request that names no other user: it is about the sessions of its sender. */
function isOfCaller({ needs }: PlannedAction): boolean {
  return needs.length === 0;
}

function isOwnData(action: PlannedAction): boolean {
  const last = action.operation.path.split("/").findLast((part) => part !== "") ?? "";
  return isPlain(action) && OWN.test(squashed(last));
}

/** Returns `true` for a request without parameters that needs authentication. */
function isPlain({ operation, needs, parameters }: PlannedAction): boolean {
  const { method, security } = operation;
  return (
    method === "get" && needs.length === 0 && parameters.length === 0 && security.length > 0 && security.every((one) => one.length > 0)
  );
}
