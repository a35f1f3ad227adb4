import type { Database, Statement } from "better-sqlite3";
import { writeCommit } from "../../engine/commit/commit-rows.ts";
import type { JournalBatch, JournalEvent } from "../../engine/commit/commit-journal.ts";
import { ROW, STATUS } from "../../messages/lane-messages.ts";
import type { ExplorationGraph } from "../../model/results/result.ts";

/** The number of step-event texts whose ids are remembered. */
const TEXTS = 10_000;

/** Writes committed rows, one batch per row, and their step events, each text once. */
export class CommitWriter {
  readonly #exploration: number;
  readonly #show: (news: JournalEvent) => JournalEvent;
  readonly #batch: Statement;
  readonly #news: Statement;
  readonly #check: Statement;
  readonly #texts: Map<string, number> = new Map();
  #batches: number;
  #ids: number;

  /** `show`: prepares step events for storing. */
  constructor(db: Database, exploration: number, show: (news: JournalEvent) => JournalEvent) {
    this.#exploration = exploration;
    this.#show = show;
    this.#batch = db.prepare("INSERT INTO commits VALUES (?, ?, ?)");
    this.#news = db.prepare("INSERT INTO news VALUES (?, ?, ?)");
    this.#check = db.prepare("INSERT OR IGNORE INTO checks VALUES (?, ?, ?)");
    const next = (column: string, table: string): number =>
      db.prepare(`SELECT ifnull(max(${column}) + 1, 0) FROM ${table} WHERE exploration = ?`).pluck().get(exploration) as number;
    this.#batches = next("batch", "commits");
    this.#ids = next("id", "news");
  }

  add({ rows, news, checks }: JournalBatch): void {
    for (const { node, merge } of checks) this.#check.run(this.#exploration, node, merge ? 1 : 0);
    for (const one of news) rows[one.place] = this.#idOf(one.news);
    if (rows.length > 0) this.#insert(rows);
  }

  /** Writes the edges of a graph that were not written during the run. */
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

  #idOf(news: JournalEvent): number {
    // The key is the original text, since preparing it takes long: stacks are read.
    const text = JSON.stringify(news);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= TEXTS) this.#texts.clear();
    const id = this.#ids++;
    this.#news.run(this.#exploration, id, JSON.stringify(this.#show(news)));
    this.#texts.set(text, id);
    return id;
  }
}

/** Returns a reader of an exploration's batches. They are read one by one, since all of them may not fit into memory. */
export function batchReader(
  db: Database,
  exploration: number,
): { readonly batches: number; readonly batch: (index: number) => Int32Array } {
  const count = db.prepare("SELECT count(*) FROM commits WHERE exploration = ?").pluck().get(exploration) as number;
  const get = db.prepare("SELECT records FROM commits WHERE exploration = ? AND batch = ?").pluck();
  return { batches: count, batch: (index) => int32(get.get(exploration, index)) };
}

/** Decodes a batch. @throws TypeError if the column has no whole int32 values */
function int32(blob: unknown): Int32Array {
  if (!(blob instanceof Uint8Array) || blob.byteLength % 4 !== 0) throw new TypeError("a batch of commits is incomplete");
  // A column may begin at any byte, and an Int32Array needs alignment.
  return new Int32Array(blob.slice().buffer);
}
