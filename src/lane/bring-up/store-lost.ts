import type { LaneFailureKind } from "../../messages/lane-messages.ts";
import { SeqqaError } from "../../model/errors.ts";
import { LaneLost } from "./lane-lost.ts";

const CODES: ReadonlySet<unknown> = new Set(["STORE_LOST", "STORE_UNREACHABLE"]);
/** Causes that are looked at. */
const DEPTH = 5;

/** Whether user code failed because a store was gone, which says nothing about the state: also where it threw an error of its own for that. */
export function isStoreLost(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < DEPTH && typeof at === "object" && at !== null; depth++) {
    if (CODES.has((at as { readonly code?: unknown }).code)) return true;
    at = (at as { readonly cause?: unknown }).cause;
  }
  return false;
}

/** Whether a store of the user's is not the run's alone any more: no other lane changes that, and the run ends. */
export function endsRun(error: unknown): boolean {
  return error instanceof SeqqaError && (error.code === "FOREIGN_WRITE" || error.code === "LEASE_OVER");
}

/** Why a lane is lost by what was thrown. @throws what ends the whole run */
export function lossOf(error: unknown): LaneFailureKind {
  if (endsRun(error)) throw error;
  if (error instanceof LaneLost) return error.kind;
  return isStoreLost(error) ? "store" : "dirty";
}

/** @throws LaneLost when that is why user code failed: what it was asked is asked again on a lane that is built anew. */
export function requireStores(error: unknown, what: string): void {
  if (isStoreLost(error)) throw new LaneLost("store", `${what}: ${error instanceof Error ? error.message : String(error)}`);
}
