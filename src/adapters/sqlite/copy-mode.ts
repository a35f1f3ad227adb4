import DatabaseConstructor, { type Database, type Statement } from "better-sqlite3";
import { isPromise, type Awaitable, type Observed, type SystemTraits } from "../../model/system.ts";
import { attempt } from "../../systems/index.ts";
import { putPages, writeBeside } from "./copy-beside.ts";
import { BUSY_LIMIT_MS, busyError, isBusy } from "./failures.ts";
import { observeDifference, observeEverything, readEverything, type FullReading } from "./full-reading.ts";
import { refuseInstalled } from "./install.ts";
import type { SqliteMode } from "./mode.ts";
import { newToken, readOwner, stamp, writing } from "./owner.ts";
import { putCopyBack } from "./take-over.ts";

/** A state: all pages of the file. The same object stands for the state as long as nobody writes. */
interface Copy {
  readonly bytes: Buffer;
}

export interface CopyOptions {
  /** Of the same store, closed for a restart of the target; the root stays. */
  readonly previous?: CopyMode | undefined;
  /** The file is the user's: a copy of it is laid beside it, and `close` goes back to that. */
  readonly borrowed?: boolean;
  /** How long to wait for a lock, in milliseconds; default 5000. */
  readonly limitMs?: number;
}

/**
 * Puts the whole file back, by SQLite's online backup into the live file: an ordinary write transaction to those who have it open,
 * whatever the journal mode. (Copying or renaming over a live file corrupts it, or has no effect.) Works with any schema; costs
 * in proportion to the database.
 */
export class CopyMode implements SqliteMode {
  readonly traits: SystemTraits = { portable: true, commits: true };
  readonly db: Database;
  readonly #file: string;
  readonly #tables: readonly string[] | undefined;
  readonly #limitMs: number;
  readonly #dataVersion: Statement<[], number>;
  /** Names the installation in a borrowed file, and its copy. */
  readonly token: string | undefined;
  #knownData = -1;
  #present: Copy | undefined;
  #root: FullReading | undefined;
  #seen: { readonly copy: Copy; readonly observed: Observed } | undefined;

  constructor(db: Database, file: string, tables: readonly string[] | undefined, options: CopyOptions = {}) {
    const { previous, borrowed = false, limitMs = BUSY_LIMIT_MS } = options;
    this.db = db;
    this.#file = file;
    this.#tables = tables;
    this.#limitMs = limitMs;
    this.#root = previous === undefined ? undefined : previous.#root;
    // A file without a single page cannot be copied into.
    if (db.pragma("page_count", { simple: true }) === 0)
      db.exec("begin immediate; create table seqqa_page(a); drop table seqqa_page; commit");
    if (borrowed) this.token = previous !== undefined && isOf(db, previous.token) ? previous.token : this.#layBeside();
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
    if (!(image instanceof Uint8Array)) throw new TypeError("SqliteAdapter.write takes what capture() of a copied store returned.");
    const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
    return this.#put({ bytes: this.token === undefined ? bytes : stamped(bytes, this.token) });
  }

  close(leaveNothing: boolean): Awaitable<void> {
    this.db.close();
    if (leaveNothing && this.token !== undefined) return putCopyBack(this.#file, this.token, this.#limitMs);
  }

  /** The copy is on disk before the file says whose it is: from there on whoever finds that can put it back. */
  #layBeside(): string {
    return writing(this.db, () => {
      refuseInstalled(this.db, this.#file);
      const token = newToken();
      writeBeside(this.#file, token, pages(this.db));
      stamp(this.db, token, "copy");
      return token;
    });
  }

  /** Holds the write lock, so that no open transaction of the target is cut in two, and knows the present state. */
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
    const source = new DatabaseConstructor(copy.bytes);
    try {
      await putPages(source, this.#file, this.#limitMs);
    } finally {
      source.close();
    }
    // Reads it back: whatever a late write of the target made of it is then a change, and not lost.
    const now = await this.#locked((read) => read);
    if (samePages(now.bytes, copy.bytes)) this.#present = copy;
  }
}

function isOf(db: Database, token: string | undefined): token is string {
  return token !== undefined && readOwner(db)?.token === token;
}

/** A state that was captured in another lane says that it is that lane's. */
function stamped(bytes: Buffer, token: string): Buffer {
  const db = new DatabaseConstructor(bytes);
  try {
    if (!isOf(db, token)) writing(db, () => stamp(db, token, "copy"));
    return pages(db);
  } finally {
    db.close();
  }
}

/** The pages of the file, marked as being in rollback mode: a database in memory cannot be in WAL mode, and the live file keeps its own. */
function pages(db: Database): Buffer {
  const bytes = db.serialize();
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}

/** Fields of the header that count writes or name the library: change counter, schema cookie, version-valid-for, version. */
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
