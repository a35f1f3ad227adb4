import type { Comparison } from "../../document/compared-with.ts";
import type { ExplorationEntry } from "../../document/document-types.ts";
import type { SourcePlace } from "../../document/source-place.ts";
import type { Limits } from "../limits.ts";
import type { StateNamer } from "../text/state-namer.ts";

/** The data that is needed to show a finding, besides the finding itself. */
export interface FindingView {
  readonly limits: Limits;
  /** The id of the HTML element that shows the requests of `setup`, for links to it; absent if there is no such element. */
  readonly setup?: string | undefined;
  /** The lines that describe the root state. */
  readonly root: readonly string[];
  readonly roleOf: (action: string) => string | undefined;
  readonly stateName?: StateNamer | undefined;
  readonly source?: SourcePlace | undefined;
  /** The command-line flags with which commands find the run; see `commandFlags` of the document. */
  readonly flags?: string | undefined;
  readonly comparison?: Comparison | undefined;
}

/** Returns the data that is needed to show the findings of an exploration. @param setup the id of the element that shows the requests of `setup` */
export function findingView(
  { coverage, setup: step }: Pick<ExplorationEntry, "coverage" | "setup">,
  setup: string,
  more: Pick<FindingView, "limits" | "source" | "flags" | "comparison" | "stateName">,
): FindingView {
  const roleOf = (action: string): string | undefined =>
    Object.hasOwn(coverage.actions, action) ? coverage.actions[action]?.role : undefined;
  return { ...more, roleOf, root: step?.state ?? [], setup: step === undefined ? undefined : setup };
}
