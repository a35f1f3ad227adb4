import type { ExplorationEntry } from "../document/document-types.ts";
import { problemsPart } from "./sections/exploration-part.ts";
import { findingPart } from "./findings/finding-part.ts";
import { findingView, type FindingView } from "./findings/finding-view.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { racePart } from "./races/race-part.ts";
import { setupPart } from "./findings/setup-part.ts";

/** The largest number of bytes of the findings of one exploration. If the findings are larger, details are left out. */
const MOST_BYTES = 4_000_000;

/** The findings and problems of an exploration as escaped HTML, for the page of `seqqa ui`. */
export interface FindingParts {
  /** HTML that shows the requests of `setup` and logins; empty if they are unknown. */
  readonly setup: string;
  /** The HTML of each finding, by the id of the finding. */
  readonly findings: ReadonlyMap<string, string>;
  /** The divergences and errors, and the reasons why the result is unverified; empty if there are none. */
  readonly problems: string;
}

interface Beside extends Pick<FindingView, "source" | "flags" | "comparison" | "stateName"> {
  /** The id of the HTML element that will contain the requests of `setup`. */
  readonly setup: string;
}

/** Returns the findings as HTML in the same form as in the report. If the HTML is larger than 4 MB, details are left out. */
export function findingParts(entry: ExplorationEntry, { setup, ...more }: Beside): FindingParts {
  const partsWithin = (limits: Limits): FindingParts => {
    const view = findingView(entry, setup, { limits, ...more });
    const { violations, races } = entry;
    return {
      setup: setupPart(entry.setup, setup, limits),
      problems: problemsPart(entry, limits),
      findings: new Map([
        ...violations.map((one, place) => [one.id, findingPart(one, view, place < limits.findings)] as const),
        ...races.map((race, place) => [race.id, racePart(race, view, violations.length + place < limits.findings)] as const),
      ]),
    };
  };
  let parts = partsWithin(LIMITS[0]!);
  for (const limits of LIMITS.slice(1)) {
    if (sizeOf(parts) <= MOST_BYTES) break;
    parts = partsWithin(limits);
  }
  return parts;
}

const sizeOf = ({ setup, findings, problems }: FindingParts): number =>
  [setup, problems, ...findings.values()].reduce((sum, html) => sum + Buffer.byteLength(html), 0);
