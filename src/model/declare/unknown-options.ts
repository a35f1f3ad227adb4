import { SeqqaError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";

/** Properties of an Action, Invariant or Agent that are not options but are allowed, because users spread existing objects into new options. */
const COPIED: readonly string[] = ["declared", "ownActions", "users", "guests", "ruleRaces", "subjects", "graph"];

/**
 * Refuses unknown options, because a misspelt option would otherwise be ignored silently. Options that are `undefined` count as absent.
 *
 * @throws SeqqaError with `code` and exit status 2
 */
export function refuseUnknown(owner: string, code: string, options: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    // `users` without `guests` was not copied from an Agent. It is an option of a Rule that was passed to the wrong object.
    const isCopied = COPIED.includes(name) && (name !== "users" || "guests" in options);
    if (value === undefined || known.includes(name) || isCopied) continue;
    const near = nearest(name, known);
    throw new SeqqaError(code, `${owner} has no option "${name}".`, {
      exitStatus: 2,
      hint: near === undefined ? `The options are ${known.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }
}
