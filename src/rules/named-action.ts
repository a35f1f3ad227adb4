import type { Action } from "../model/declare/action.ts";
import { SeqqaError } from "../model/errors.ts";

/** An action of the agent, or its name. */
export type ActionOrName<C extends object, A> = Action<C, A> | string;

export function nameOf<C extends object, A>(action: ActionOrName<C, A>): string {
  return typeof action === "string" ? action : action.name;
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
