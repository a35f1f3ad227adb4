import type { Action } from "../model/declare/action.ts";
import { SeqqaError } from "../model/errors.ts";
import { contextPartOf, type Context } from "../model/context/context.ts";
import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import { refusesInBody } from "../model/http/refusal.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { recorded, type Written } from "./given-codes.ts";

/** The world of a rule, as its actions are called. */
export interface Calling {
  readonly context: Context;
  readonly clients: Readonly<Record<string, ApiClient>>;
  readonly api: ApiClient;
}

/** Returns a text that changes with each change of the context and of the clients. */
export function versionOf({ context, clients, api }: Calling): string {
  return [api, ...Object.values(clients)].map((client) => clientPartOf(client)?.version).join() + contextPartOf(context as never).version;
}

/** The result of an action that got no answer from the target. No further request must be sent, because each could wait for its whole timeout. */
export const UNANSWERED: unique symbol = Symbol("unanswered");

/**
 * Calls an action with its own client. Returns its answer; `undefined` if the action does not apply, throws or is refused. Adds each value that is
 * set in the context to `written`.
 */
export async function call(
  { context, clients, api }: Calling,
  action: Action,
  written: Written[],
): Promise<ApiResponse | typeof UNANSWERED | undefined> {
  let answer: ApiResponse | null;
  try {
    if (action.precondition !== undefined && !action.precondition(context)) return undefined;
    answer = await action.run(action.as === undefined ? api : clients[action.as]!, recorded(context, written));
  } catch (error) {
    // Ignore other errors, because they are reported when the action runs as a step.
    return error instanceof SeqqaError && NO_ANSWER.has(error.code) ? UNANSWERED : undefined;
  }
  return answer === null || answer.statusCode >= 400 || refusesInBody(answer) ? undefined : answer;
}

const NO_ANSWER: ReadonlySet<string> = new Set(["REQUEST_TIMEOUT", "TARGET_UNREACHABLE"]);
