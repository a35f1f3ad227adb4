import type { PendingRequest } from "../../model/http/client.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ErrorEvent } from "../../messages/lane-messages.ts";
import type { HiddenBodies } from "./hidden-bodies.ts";

/** The largest number of requests that a message names. */
const NAMED = 3;

export function errorEvent(code: string, message: string, source: string, stack?: string): ErrorEvent {
  return { code, message, source, stack };
}

/**
 * Returns the error event for a thrown value. The event's message begins with `what`. `bodies`: the bodies that the event must not quote; `undefined`
 * if it may quote all bodies.
 */
export function thrownEvent(code: string, what: string, source: string, error: unknown, bodies: HiddenBodies | undefined): ErrorEvent {
  const message = error instanceof Error ? `${error.name === "Error" ? "" : `${error.name}: `}${error.message}` : describe(error);
  const hint = error instanceof SeqqaError && error.hint !== undefined ? ` ${error.hint}` : "";
  const event = errorEvent(code, `${what}: ${message}${hint}`, source, error instanceof Error ? error.stack : undefined);
  return bodies === undefined ? event : bodies.removedFrom(event);
}

/** Returns the error for a check that wrote. @param what the part of the world that changed */
export function impure(name: string, what: string): ErrorEvent {
  const message = `The check of invariant "${name}" changed ${what}, but a check may only read. seqqa undid the change.`;
  return errorEvent("INVARIANT_WROTE", message, name);
}

/** Returns the error for an overloaded target. The error names no request, so that the run reports it only once. */
export function overloaded(): ErrorEvent {
  return errorEvent(
    "TARGET_OVERLOADED",
    "The target is overloaded: it answered requests with status 503, also after seqqa had waited and sent the requests again. seqqa does not judge the steps with these requests. Use fewer lanes (--parallel), set exploration.rate_limit, or raise the target's limits (maxEventLoopDelay of @fastify/under-pressure). If status 503 is right for an action, add 503 to the expectedStatus of this action.",
    "target",
  );
}

/** Returns a message about code that ended before its requests were answered. `who`: for example `Action "pay"`. */
export function pendingText(who: string, left: readonly PendingRequest[]): string {
  const named = left.slice(0, NAMED).map(({ method, url }) => `${method} ${URL.canParse(url) ? new URL(url).pathname : url}`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : "";
  const what = left.length === 1 ? "request was" : "requests were";
  return `${who} ended before its ${what} answered: ${named.join(", ")}${more}. Await every request before the function returns.`;
}

/** Describes a value of user code for a message, e.g. `an object of type Map`, `number 3`. */
export function describe(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) {
    const { name } = (value as { constructor?: { name?: unknown } }).constructor ?? {};
    return `an object of type ${typeof name === "string" ? name : "Object"}`;
  }
  return `${typeof value} ${String(value).slice(0, 80)}`;
}
