import type { Config } from "../../config/index.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "../../engine/search/same-root.ts";
import { SeqqaError } from "../../model/errors.ts";
import { differences } from "../../state/index.ts";

/** Returns a note for a run without a store: between branches or journeys, only the context is restored. */
export const CONTEXT_ONLY = (what: "branches" | "journeys"): string =>
  `No store is declared, so seqqa restores only the context between ${what}, and not the data of the API. Declare the store with db_url or systems.`;

/**
 * Checks that lanes are isolated and have the same root state.
 * @returns notes for the start of the run
 * @throws SeqqaError `LANES_SHARED` (2) if two lanes use the same target or store, `ROOTS_DIFFER` (3) if their root states differ
 */
export function checkLanes(reports: readonly LaneReport[], config: Config): readonly string[] {
  refuseSharing(reports);
  const first = reports[0]!;
  reports.forEach((report, lane) => {
    if (sameRoot(report, first)) return;
    const lines = differences(first.rootLines, report.rootLines, 5);
    throw new SeqqaError(
      "ROOTS_DIFFER",
      `The root state of lane ${lane} differs from that of lane 0: ${lines.join("; ") || "the stores contain other data"}.`,
      {
        exitStatus: 3,
        hint: 'Let the target and `setup` create the same data on each lane. If columns always differ, list them: `ignore: ["table.column"]`.',
      },
    );
  });
  const notes = [...first.systems];
  const overHttp = config.target !== undefined || config.baseUrl !== undefined || config.lanes !== undefined || first.uses.length > 0;
  if (first.contextOnly && overHttp) {
    notes.push(CONTEXT_ONLY("branches"));
  }
  return notes;
}

/** Checks that no two lanes share a target or store. @throws SeqqaError `LANES_SHARED` (2) */
export function refuseSharing(reports: readonly LaneReport[]): void {
  const users = new Map<string, number>();
  reports.forEach(({ uses }, lane) => {
    for (const one of uses) {
      const other = users.get(one);
      if (other !== undefined && other !== lane) {
        throw new SeqqaError(
          "LANES_SHARED",
          `Lanes ${other} and ${lane} both use ${one}, so each of them would change the state of the other.`,
          {
            exitStatus: 2,
            hint: "Give each lane its own client and store: build the client from lane.baseUrl, and the store from lane.dbPath or lane.systems.",
          },
        );
      }
      users.set(one, lane);
    }
  });
}
