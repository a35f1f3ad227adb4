import type { PlannedAction, PlannedLogin, PlannedValue } from "../plan.ts";
import { squashed } from "../resources/words.ts";

const CURRENT = /^(?:current|old|existing|present)(?:user)?(?:password|passwd|pwd)$/;

/** Returns an action in whose body each field for the "current password" has the password of the user who is logged in. */
export function withOwnPassword(action: PlannedAction, login: PlannedLogin | undefined): PlannedAction {
  const password = login?.kind === "operation" ? passwordOf(login) : undefined;
  return action.body === undefined || password === undefined
    ? action
    : { ...action, body: { ...action.body, value: replaced(action.body.value, password) } };
}

function passwordOf({ action: { body }, passwordField }: Extract<PlannedLogin, { kind: "operation" }>): PlannedValue | undefined {
  return body?.value.kind === "object" ? body.value.entries.find(([name]) => name === passwordField)?.[1] : undefined;
}

function replaced(value: PlannedValue, password: PlannedValue): PlannedValue {
  const entries: readonly (readonly [string, PlannedValue])[] =
    value.kind === "object"
      ? value.entries
      : value.kind === "constant" && typeof value.value === "object" && value.value !== null && !Array.isArray(value.value)
        ? Object.entries(value.value).map(([name, one]) => [name, { kind: "constant", value: one }] as const)
        : [];
  if (!entries.some(([name]) => CURRENT.test(squashed(name)))) return value;
  return { kind: "object", entries: entries.map(([name, one]) => [name, CURRENT.test(squashed(name)) ? password : one]) };
}
