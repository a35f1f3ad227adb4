import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { ShardRecord } from "../../engine/shards/merge-shards.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationEntry, ReportedFailure } from "../../reports/index.ts";
import type { RunHeader } from "../rows/run-header.ts";
import { exchangesOf, type ExchangeRow } from "../rows/exchange-rows.ts";
import { lines } from "../rows/json-columns.ts";
import { resumedExploration } from "./resumed-exploration.ts";
import { readStore } from "./open-run.ts";
import { documents, readEntry } from "./read-run.ts";
import { findRun, runFile } from "./runs.ts";
import { storedRunOf, type StoredExploration, type StoredRun } from "./resumable-run.ts";

/** The opened run log of one shard. */
export interface ShardStore {
  readonly stored: StoredRun;
  /** The files that ended without a result. */
  readonly failures: readonly ReportedFailure[];
  /** The exit status with which the run ended; `null` if it did not end. */
  readonly exitStatus: number | null;
  readonly entry: (exploration: StoredExploration) => ExplorationEntry;
  readonly record: (exploration: StoredExploration, beginning: RunHeader) => Omit<ShardRecord, "shard">;
}

/**
 * Calls `work` with opened run logs. A path is either a run log, or a report folder, whose last run is used.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function withShardStores<T>(paths: readonly string[], work: (stores: readonly ShardStore[]) => T): T {
  const files = paths.map(fileOf);
  const opened: ShardStore[] = [];
  const openNext = (): T => {
    const file = files[opened.length];
    if (file === undefined) return work(opened);
    return readStore(file, (db) => {
      opened.push(storeOf(db, file));
      return openNext();
    });
  };
  return openNext();
}

function fileOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new SeqqaError("NO_SUCH_RUN", `No run is stored at ${path}.`, {
      exitStatus: 2,
      hint: "For each shard, give its run log (a file such as runs/<id>.db) or the folder of its reports.",
    });
  }
  return found.isDirectory() ? runFile(path, findRun(path, undefined, (file) => readStore(file, () => undefined)).id) : path;
}

function storeOf(db: Database, file: string): ShardStore {
  const states = db.prepare("SELECT lines FROM states WHERE exploration = ? AND node = ?").pluck();
  const exchanges = db.prepare("SELECT * FROM exchanges WHERE exploration = ? AND edge = ? ORDER BY position");
  return {
    stored: storedRunOf(db, file),
    failures: documents<ReportedFailure>(db, "failures ORDER BY position"),
    exitStatus: db.prepare("SELECT exit_status FROM run").pluck().get() as number | null,
    entry: ({ id }) => readEntry(db, id),
    record: ({ id }, beginning) => ({
      recorded: resumedExploration(db, id, beginning).recorded,
      state: (node) => {
        const text = states.get(id, node);
        return text === undefined ? undefined : lines(text);
      },
      exchanges: (edge) => exchangesOf(exchanges.all(id, edge) as ExchangeRow[]),
    }),
  };
}
