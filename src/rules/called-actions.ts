import type { Action } from "../model/declare/action.ts";
import { SeqqaError } from "../model/errors.ts";
import { contextPartOf, type Context } from "../model/context/context.ts";
import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import { refusesInBody } from "../model/http/refusal.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { recorded, type Written } from "./given-codes.ts";

/** The clients and the context with which a rule calls actions. */
export interface Calling {
  readonly context: Context;
  readonly clients: Readonly<Record<string, ApiClient>>;
  readonly api: ApiClient;
}

/** Returns a text that changes with each change of the context and of the clients. */
export function versionOf({ context, clients, api }: Calling): string {
  return [api, ...Object.values(clients)].map((client) => clientPartOf(client)?.version).join() + contextPartOf(context as never).version;
}

/**
 * The result of an action that got no answer from the target. The caller must send no further request, because each request could take until its
 * timeout.
 */
export const UNANSWERED: unique symbol = Symbol("unanswered");

/**
 * Calls an action with the client of its role. Returns the answer; {@link UNANSWERED} if the target did not answer; `undefined` if the action does
 * not apply, throws another error or is refused. Adds each value that the action sets in the context to `written`.
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
