import type { Database, Statement } from "better-sqlite3";
import { writeCommit } from "../../engine/commit/commit-rows.ts";
import type { DoneCheck, JournalBatch, JournalEvent } from "../../engine/commit/commit-journal.ts";
import { ROW, STATUS } from "../../messages/lane-messages.ts";
import type { ExplorationGraph } from "../../model/results/result.ts";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";

/** The maximum number of entries in the cache that maps step events to their ids in the run log. */
const TEXTS = 10_000;

/**
 * Returns the value of the column `merge` in the table `checks`: 0 for a cross-check by replay, 1 for a cross-check along a second path, 2 plus the
 * edge that identifies this path if several paths are checked.
 */
export function checkKind({ merge, edge }: DoneCheck): number {
  return edge === undefined ? Number(merge) : 2 + edge;
}

/** Writes commits to the run log in batches, one row for each batch. Step events have their own table, in which equal step events are stored once. */
export class CommitWriter {
  readonly #exploration: number;
  readonly #show: (stepEvents: JournalEvent) => JournalEvent;
  readonly #batch: Statement;
  readonly #stepEvents: Statement;
  readonly #check: Statement;
  readonly #texts: Map<string, number> = new Map();
  #batches: number;
  #ids: number;

  /** @param show Removes secrets from step events before they are stored. */
  constructor(db: Database, exploration: number, show: (stepEvents: JournalEvent) => JournalEvent) {
    this.#exploration = exploration;
    this.#show = show;
    this.#batch = db.prepare("INSERT INTO commits VALUES (?, ?, ?)");
    this.#stepEvents = db.prepare("INSERT INTO news VALUES (?, ?, ?)");
    this.#check = db.prepare("INSERT OR IGNORE INTO checks VALUES (?, ?, ?)");
    const next = (column: string, table: string): number =>
      db.prepare(`SELECT ifnull(max(${column}) + 1, 0) FROM ${table} WHERE exploration = ?`).pluck().get(exploration) as number;
    this.#batches = next("batch", "commits");
    this.#ids = next("id", "news");
  }

  add({ rows, stepEvents, checks }: JournalBatch): void {
    for (const check of checks) this.#check.run(this.#exploration, check.node, checkKind(check));
    for (const one of stepEvents) rows[one.place] = this.#idOf(one.stepEvents);
    if (rows.length > 0) this.#insert(rows);
  }

  /** Writes the edges of a finished graph that are not in the run log yet, beginning with the edge number `from`. */
  rest({ edgeFrom, edgeAction, edgeTo, edgeStatus }: ExplorationGraph, from: number): void {
    const rows = new Int32Array((edgeFrom.length - from) * ROW);
    const row = new Int32Array(ROW);
    let size = 0;
    for (let edge = from; edge < edgeFrom.length; edge++) {
      row[STATUS] = edgeStatus[edge]!;
      const commit = { from: edgeFrom[edge]!, action: edgeAction[edge]!, to: edgeTo[edge]!, rows: row, at: 0 };
      size = writeCommit(rows, size, commit, -1, -1);
    }
    if (size > 0) this.#insert(rows.subarray(0, size));
  }

  #insert(rows: Int32Array): void {
    this.#batch.run(this.#exploration, this.#batches++, Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength));
  }

  #idOf(stepEvents: JournalEvent): number {
    // Use the step event with its secrets as the key of the cache. Removing the secrets first would be slow, because it resolves stacks.
    const text = JSON.stringify(stepEvents);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= TEXTS) this.#texts.clear();
    const id = this.#ids++;
    this.#stepEvents.run(this.#exploration, id, JSON.stringify(this.#show(stepEvents)));
    this.#texts.set(text, id);
    return id;
  }
}

/**
 * Returns an object that reads the stored batches of commits of an exploration. The object reads one batch at a time, because all batches together
 * may be too large for memory.
 */
export function batchReader(
  db: Database,
  exploration: number,
): { readonly batches: number; readonly batch: (index: number) => Int32Array } {
  const count = db.prepare("SELECT count(*) FROM commits WHERE exploration = ?").pluck().get(exploration) as number;
  const get = db.prepare("SELECT records FROM commits WHERE exploration = ? AND batch = ?").pluck();
  return { batches: count, batch: (index) => int32(get.get(exploration, index)) };
}

/** Returns the numbers in a stored batch of commits. @throws DamagedRun if its length is no multiple of 4 bytes */
function int32(blob: unknown): Int32Array {
  if (!(blob instanceof Uint8Array) || blob.byteLength % 4 !== 0) throw new DamagedRun("a part of the stored steps is incomplete");
  // Copy the bytes, because an Int32Array must begin at a multiple of 4 bytes, and SQLite's buffer may begin anywhere.
  return new Int32Array(blob.slice().buffer);
}
