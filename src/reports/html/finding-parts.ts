import type { Comparison } from "../document/compared-with.ts";
import type { ExplorationEntry } from "../document/document-types.ts";
import type { SourcePlace } from "../document/source-place.ts";
import { findingPart } from "./finding-part.ts";
import { findingView } from "./finding-view.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { racePart } from "./race-part.ts";
import { setupPart } from "./setup-part.ts";
import type { StateNamer } from "./state-namer.ts";

/** The largest number of bytes of an exploration's findings that a page loads at once. */
const MOST_BYTES = 4_000_000;

/** The findings of an exploration as escaped HTML, for pages other than the report. */
export interface FindingParts {
  /** Shows how the root state was reached; empty if that is unknown. */
  readonly setup: string;
  /** The HTML of each finding, by its id. */
  readonly findings: ReadonlyMap<string, string>;
}

interface Beside {
  /** The id of the element that will contain the setup. */
  readonly setup: string;
  readonly source?: SourcePlace | undefined;
  readonly comparison?: Comparison | undefined;
  readonly stateName?: StateNamer | undefined;
}

/** Returns the findings as the report shows them. Above 4 MB, they have fewer details. */
export function findingParts(entry: ExplorationEntry, { setup, ...more }: Beside): FindingParts {
  const partsWithin = (limits: Limits): FindingParts => {
    const view = findingView(entry, setup, { limits, ...more });
    const { violations, races } = entry;
    return {
      setup: setupPart(entry.setup, setup, limits),
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

const sizeOf = ({ setup, findings }: FindingParts): number =>
  [setup, ...findings.values()].reduce((sum, html) => sum + Buffer.byteLength(html), 0);
