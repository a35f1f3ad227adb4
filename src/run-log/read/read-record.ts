import type { Recorded } from "../../engine/commit/recommit.ts";
import { resumedExploration } from "./resumed-exploration.ts";
import { readStore } from "./open-run.ts";
import type { StoredExploration } from "./resumable-run.ts";

/** What an exploration committed, while its store is open. */
export interface StoredRecord {
  readonly recorded: Recorded;
  /** Of a state. */
  readonly depth: (node: number) => number;
}

/**
 * Reads everything with which an exploration goes on, while `work` goes on; nothing is written. `undefined` where nothing was written along.
 * @throws SeqqaError `RUN_UNREADABLE` with exit status 2, and what `work` throws as such
 */
export function readRecord<T>(file: string, { id, beginning }: StoredExploration, work: (record: StoredRecord) => T): T | undefined {
  if (beginning === undefined) return undefined;
  return readStore(file, (db) => {
    const depth = db.prepare("SELECT depth FROM nodes WHERE exploration = ? AND id = ?").pluck();
    return work({ recorded: resumedExploration(db, id, beginning).recorded, depth: (node) => depth.get(id, node) as number });
  });
}
