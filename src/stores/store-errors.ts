import { SeqqaError } from "../model/errors.ts";

/** What all stores on a server say alike. `shown` is the store's URL without credentials. */
interface Shown {
  readonly shown: string;
}

/** Another run works on this database. */
export function inUseError({ shown }: Shown): SeqqaError {
  return new SeqqaError("STORE_IN_USE", `The database ${shown} is in use by another run of seqqa.`, {
    hint: "Wait until it has ended, or give this run a database of its own.",
    exitStatus: 2,
  });
}

/** A mark that is nowhere any more: a caller's mistake, and no store's. */
export function markInvalid(): SeqqaError {
  return new SeqqaError("MARK_INVALID", "This mark is not valid any more: an older one was restored or another state was written since.");
}

/** A state was captured from a store of another shape. */
export function imageForeign({ shown }: Shown, what: string): SeqqaError {
  return new SeqqaError("IMAGE_FOREIGN", `A captured state does not fit ${shown}: ${what} differs.`, {
    hint: "All lanes need stores with the same schema.",
  });
}
