import type { Recorded } from "../../engine/commit/recommit.ts";
import { resumedExploration } from "./resumed-exploration.ts";
import { readStore } from "./open-run.ts";
import type { StoredExploration } from "./resumable-run.ts";

/** The stored commits of an exploration. They can be read while the run log is open. */
export interface StoredRecord {
  readonly recorded: Recorded;
  readonly depth: (node: number) => number;
}

/**
 * Calls `work` with the stored commits of an exploration.
 * @returns the result of `work`; `undefined` if no commits were stored
 * @throws SeqqaError `RUN_UNREADABLE` with exit status 2, and errors of `work`
 */
export function readRecord<T>(file: string, { id, beginning }: StoredExploration, work: (record: StoredRecord) => T): T | undefined {
  if (beginning === undefined) return undefined;
  return readStore(file, (db) => {
    const depth = db.prepare("SELECT depth FROM nodes WHERE exploration = ? AND id = ?").pluck();
    return work({ recorded: resumedExploration(db, id, beginning).recorded, depth: (node) => depth.get(id, node) as number });
  });
}
