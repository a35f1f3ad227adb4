import type { LaneFailureKind } from "../../messages/lane-messages.ts";
import { SeqqaError } from "../../model/errors.ts";
import { LaneLost } from "./lane-lost.ts";

const CODES: ReadonlySet<unknown> = new Set(["STORE_LOST", "STORE_UNREACHABLE"]);
/** Number of nested causes of an error that are searched. */
const DEPTH = 5;

/**
 * Returns `true` if user code failed because a store was lost. Such a failure says nothing about the state. User code may have thrown an error of its
 * own, so the causes are searched, too.
 */
export function isStoreLost(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < DEPTH && typeof at === "object" && at !== null; depth++) {
    if (CODES.has((at as { readonly code?: unknown }).code)) return true;
    at = (at as { readonly cause?: unknown }).cause;
  }
  return false;
}

/** Returns `true` if another client uses an external store of the run. A rebuilt lane would have the same problem, so the run ends. */
export function endsRun(error: unknown): boolean {
  return error instanceof SeqqaError && (error.code === "FOREIGN_WRITE" || error.code === "LEASE_OVER");
}

/** Returns the kind of lane failure that an error causes. @throws errors that end the whole run */
export function lossOf(error: unknown): LaneFailureKind {
  if (endsRun(error)) throw error;
  if (error instanceof LaneLost) return error.kind;
  return isStoreLost(error) ? "store" : "dirty";
}

/** @throws LaneLost if user code failed because a store was lost. The call is then repeated on a rebuilt lane. */
export function requireStores(error: unknown, what: string): void {
  if (isStoreLost(error)) throw new LaneLost("store", `${what}: ${error instanceof Error ? error.message : String(error)}`);
}
