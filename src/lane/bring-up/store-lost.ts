import type { LaneFailureKind } from "../../messages/lane-messages.ts";
import { SeqqaError } from "../../model/errors.ts";
import { LaneLost } from "./lane-lost.ts";

const CODES: ReadonlySet<unknown> = new Set(["STORE_LOST", "STORE_UNREACHABLE"]);
/** Maximum number of nested causes of an error that are examined. */
const DEPTH = 5;

/**
 * Returns `true` if user code failed because a store could not be reached. Such a failure says nothing about the state. Also examines the causes of
 * the error, since user code may have wrapped the original error.
 */
export function isStoreLost(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < DEPTH && typeof at === "object" && at !== null; depth++) {
    if (CODES.has((at as { readonly code?: unknown }).code)) return true;
    at = (at as { readonly cause?: unknown }).cause;
  }
  return false;
}

/** Returns `true` if an error shows that another client uses an external store. A rebuilt lane would have the same problem, so the run must end. */
export function endsRun(error: unknown): boolean {
  return error instanceof SeqqaError && (error.code === "FOREIGN_WRITE" || error.code === "LEASE_OVER");
}

/** Returns the kind of loss that an error means for a lane. @throws the error itself if it must end the whole run */
export function lossOf(error: unknown): LaneFailureKind {
  if (endsRun(error)) throw error;
  if (error instanceof LaneLost) return error.kind;
  return isStoreLost(error) ? "store" : "dirty";
}

/** Checks an error of user code. @throws LaneLost if a store could not be reached, so that a rebuilt lane repeats the work */
export function requireStores(error: unknown, what: string): void {
  if (isStoreLost(error)) throw new LaneLost("store", `${what}: ${error instanceof Error ? error.message : String(error)}`);
}
