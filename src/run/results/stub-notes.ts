import type { Explorer } from "../../engine/search/explorer.ts";

/** Notes about stubs that were never called are made only if the search is exhaustive or has at least this number of steps. */
const FEWEST_STEPS = 200;
const MOST_NAMED = 3;

type Explored = Pick<Explorer, "stopReason" | "stubs"> & { readonly committer: Pick<Explorer["committer"], "steps"> };

/** Returns notes about stubs that the target never called, and about calls without a reply. Such a target probably uses another URL or path. */
export function stubNotes({ stopReason, stubs, committer }: Explored): readonly string[] {
  const isWhole = stopReason === "exhausted" || stopReason === "max_depth";
  const mayTell = stopReason !== "interrupted" && committer.steps >= (isWhole ? 1 : FEWEST_STEPS);
  return [...stubs].flatMap(([name, { wasCalled, unmatched }]) => {
    if (!wasCalled && mayTell)
      return [`systems.${name} received no call. If an action needs this third party, check that the target gets its URL ({url:${name}}).`];
    if (unmatched.length === 0) return [];
    const more = unmatched.length > MOST_NAMED ? ", and others" : "";
    return [
      `Calls of systems.${name} matched no reply and got status 404: ${unmatched.toSorted().slice(0, MOST_NAMED).join(", ")}${more}.`,
    ];
  });
}
