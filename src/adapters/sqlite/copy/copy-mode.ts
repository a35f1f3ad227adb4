import type { Database, Statement } from "better-sqlite3";
import { isPromise, type Awaitable, type Observed, type StoreTraits } from "../../../model/stores/store-adapter.ts";
import { attempt } from "../../../stores/index.ts";
import { BUSY_LIMIT_MS, busyError, isBusy, notPutBack } from "../connect/failures.ts";
import { observeDifference, observeEverything, readEverything, type FullReading } from "../journal/full-reading.ts";
import type { SqliteMode } from "../connect/mode.ts";
import { openSqlite } from "../../../stores/connect/sqlite-driver.ts";
import { setTimeout as pause } from "node:timers/promises";
import { SeqqaError } from "../../../model/errors.ts";

/** The content of the file at one moment: all pages. As long as nobody writes, all reads return the same object. */
interface Copy {
  readonly bytes: Buffer;
}

export interface CopyOptions {
  /** The mode of this store before the target restarted. The new mode takes over its root state. */
  readonly previous?: CopyMode | undefined;
  /** The longest time to wait for a lock, in milliseconds. Default: 5000. */
  readonly limitMs?: number;
}

/**
 * Restores the whole file by writing all pages with SQLite's online backup. Other connections see an ordinary write transaction, in any journal mode.
 * Copying or renaming a file over an open database would corrupt it or have no effect. Works with any schema, but the cost grows with the file's
 * size. Used only for a lane's own file, because a restore also overwrites the writes of other clients.
 */
export class CopyMode implements SqliteMode {
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly db: Database;
  readonly #file: string;
  readonly #tables: readonly string[] | undefined;
  readonly #limitMs: number;
  readonly #dataVersion: Statement<[], number>;
  #knownData = -1;
  #present: Copy | undefined;
  #root: FullReading | undefined;
  #seen: { readonly copy: Copy; readonly observed: Observed } | undefined;

  constructor(db: Database, file: string, tables: readonly string[] | undefined, options: CopyOptions = {}) {
    const { previous, limitMs = BUSY_LIMIT_MS } = options;
    this.db = db;
    this.#file = file;
    this.#tables = tables;
    this.#limitMs = limitMs;
    this.#root = previous === undefined ? undefined : previous.#root;
    // SQLite's backup API cannot write into a file that has no pages.
    if (db.pragma("page_count", { simple: true }) === 0)
      db.exec("begin immediate; create table seqqa_page(a); drop table seqqa_page; commit");
    this.#dataVersion = db.prepare<[], number>("pragma data_version").pluck();
  }

  root(): Awaitable<Observed> {
    return this.#locked(() => {
      this.#root = readEverything(this.db, this.#tables);
      this.#seen = undefined;
      return observeEverything(this.#root);
    });
  }

  mark(): Awaitable<Copy> {
    return this.#locked((copy) => copy);
  }

  changed(mark: unknown): Awaitable<boolean> {
    return this.#locked((copy) => copy !== mark && !samePages(copy.bytes, (mark as Copy).bytes));
  }

  restore(mark: unknown): Awaitable<void> {
    const now = this.#locked((copy) => copy);
    if (isPromise(now)) return now.then((copy) => (copy === mark ? undefined : this.#put(mark as Copy)));
    return now === mark ? undefined : this.#put(mark as Copy);
  }

  observe(): Awaitable<Observed> {
    return this.#locked((copy) => {
      this.#root ??= readEverything(this.db, this.#tables);
      if (this.#seen?.copy !== copy) this.#seen = { copy, observed: observeDifference(this.#root, readEverything(this.db, this.#tables)) };
      return this.#seen.observed;
    });
  }

  capture(): Awaitable<Uint8Array> {
    return this.#locked(({ bytes }) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  write(image: unknown): Awaitable<void> {
    if (!(image instanceof Uint8Array))
      throw new TypeError('SqliteAdapter.write() got a value that does not come from capture() of a store with checkpoint "copy".');
    return this.#put({ bytes: Buffer.from(image.buffer, image.byteOffset, image.byteLength) });
  }

  close(): void {
    this.db.close();
  }

  /**
   * Calls `work` with the current content of the file while this process holds the write lock, so that no transaction of the target is in progress.
   */
  #locked<T>(work: (copy: Copy) => T): Awaitable<T> {
    return attempt(
      () => {
        this.db.exec("begin immediate");
        try {
          const data = this.#dataVersion.get() as number;
          if (this.#present === undefined || data !== this.#knownData) {
            this.#present = { bytes: pages(this.db) };
            this.#knownData = data;
          }
          return work(this.#present);
        } finally {
          if (this.db.inTransaction) this.db.exec("rollback");
        }
      },
      isBusy,
      this.#limitMs,
      busyError(this.#file, this.#limitMs),
    );
  }

  async #put(copy: Copy): Promise<void> {
    const source = openSqlite(copy.bytes);
    try {
      await putPages(source, this.#file, this.#limitMs);
    } finally {
      source.close();
    }
    // Read the file again, because the target may have written during the restore. The next comparison then detects such a write.
    const now = await this.#locked((read) => read);
    if (samePages(now.bytes, copy.bytes)) this.#present = copy;
  }
}

/**
 * Returns the pages of the file. If the file is in WAL mode, the header of the returned pages is set to rollback mode, because a database in memory
 * cannot use WAL. The file itself is not changed.
 */
function pages(db: Database): Buffer {
  const bytes = db.serialize();
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}

/** Byte ranges of the file header that differ between equal databases: change counter, schema cookie, version-valid-for, library version. */
const COUNTING: readonly (readonly [number, number])[] = [
  [24, 28],
  [40, 44],
  [92, 100],
];

function samePages(a: Buffer, b: Buffer): boolean {
  if (a.length !== b.length) return false;
  let from = 0;
  for (const [start, end] of COUNTING) {
    if (a.compare(b, from, start, from, start) !== 0) return false;
    from = end;
  }
  return a.compare(b, from, b.length, from, a.length) === 0;
}

async function putPages(source: Database, file: string, limitMs: number = BUSY_LIMIT_MS): Promise<void> {
  try {
    const deadline = performance.now() + limitMs;
    while (!(await backedUp(source, file))) {
      if (performance.now() >= deadline) throw busyError(file, limitMs)(undefined);
      await pause(5);
    }
  } catch (error) {
    throw error instanceof SeqqaError ? error : notPutBack(file, error);
  }
}

/**
 * Writes the pages of `source` into the file with SQLite's backup. Returns `false` if the file is locked: the backup then reports 0 pages and no
 * error.
 */
async function backedUp(source: Database, file: string): Promise<boolean> {
  try {
    return (await source.backup(file)).totalPages > 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
