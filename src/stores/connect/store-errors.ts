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

/** Returns the error for restoring a checkpoint that no longer exists. This error means that the code that calls the adapter is wrong. */
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
