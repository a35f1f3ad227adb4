import type { Comparison } from "../document/compared-with.ts";
import type { ExplorationEntry } from "../document/document-types.ts";
import type { SourcePlace } from "../document/source-place.ts";
import type { Limits } from "./limits.ts";
import type { StateNamer } from "./state-namer.ts";

/** The data that a finding is shown with, beside its own. The report, and any other page, makes it from its data. */
export interface FindingView {
  readonly limits: Limits;
  /** The id of the element that shows how the root state was reached; absent if there is no such element. */
  readonly setup?: string | undefined;
  /** The root state in lines. */
  readonly root: readonly string[];
  /** Returns the role that an action acts as. */
  readonly roleOf: (action: string) => string | undefined;
  /** Returns the name of a state in commands. */
  readonly stateName?: StateNamer | undefined;
  /** Where the user's code is, for links. */
  readonly source?: SourcePlace | undefined;
  /** The findings of the previous run. */
  readonly comparison?: Comparison | undefined;
}

/** Returns the view of an exploration's findings. @param setup the id of the element that shows its setup */
export function findingView(
  { coverage, setup: step }: Pick<ExplorationEntry, "coverage" | "setup">,
  setup: string,
  more: Pick<FindingView, "limits" | "source" | "comparison" | "stateName">,
): FindingView {
  const roleOf = (action: string): string | undefined =>
    Object.hasOwn(coverage.actions, action) ? coverage.actions[action]?.role : undefined;
  return { ...more, roleOf, root: step?.state ?? [], setup: step === undefined ? undefined : setup };
}
