import { SeqqaError } from "../../model/errors.ts";

/** A store in an error message. `shown`: the URL of the store without user name and password. */
interface Shown {
  readonly shown: string;
}

export function inUseError({ shown }: Shown): SeqqaError {
  return new SeqqaError("STORE_IN_USE", `The database ${shown} is in use by another run of seqqa.`, {
    hint: "Wait until the other run has ended, or use another database for this run.",
    exitStatus: 2,
  });
}

/** Returns the error for restoring a checkpoint that no longer exists. Only wrong code of the adapter's caller can cause this error. */
export function markInvalid(): SeqqaError {
  return new SeqqaError(
    "MARK_INVALID",
    "This checkpoint can no longer be restored, because an older checkpoint was restored, or another state was written, after this checkpoint was made.",
  );
}

/** Returns the error for a snapshot that comes from a store with another schema. */
export function imageForeign({ shown }: Shown, what: string): SeqqaError {
  return new SeqqaError("IMAGE_FOREIGN", `A state of another lane cannot be written to ${shown}: ${what} differs between the two stores.`, {
    hint: "Give the stores of all lanes the same schema.",
  });
}

/** The failure after which an adapter is not open. */
export interface StoreFailure {
  readonly error: unknown;
  /** `true` if the run uses the store in place, so that changes of the run may be left in the store. */
  readonly inPlace: boolean;
}

/** Returns the error for a use of a store that is not open. If the store failed before, returns the error for this failure. */
export function notOpen(adapter: string, failure: StoreFailure | undefined): SeqqaError {
  const error = failure?.error;
  if (error instanceof SeqqaError) {
    const clean = failure?.inPlace === true && error.code !== "ROWS_KEPT" && error.hint?.includes("seqqa clean") !== true;
    const hints = [...(clean ? ["When the store can be used again, run `seqqa clean` to restore the store."] : []), error.hint ?? ""];
    return new SeqqaError(error.code, error.message, { hint: hints.join(" ").trim(), exitStatus: 3, cause: error });
  }
  return new SeqqaError("STORE_NOT_OPEN", `The ${adapter} was used while it was not open.`, {
    hint: "Use a store only in actions, rules and invariants. seqqa opens the store when the target is ready, and closes the store with the lane.",
    cause: error,
  });
}
