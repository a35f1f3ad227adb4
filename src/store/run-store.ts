import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import type { Config } from "../config/index.ts";
import type { JourneyEntry, Redactor, ReportedFailure, RunDocument } from "../reports/index.ts";
import { configRows } from "./config-rows.ts";
import { EntryWriter } from "./entry-rows.ts";
import { ExplorationKeeper } from "./exploration-keeper.ts";
import { dropOldRuns, runFile } from "./runs.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";

/** Pages of the log before they are moved into the file: about 16 MB. */
const CHECKPOINT_PAGES = 4_000;

/**
 * The store of a run: a SQLite file under `runs` in the folder of the reports, which only its owner can read, since it holds bodies. It has what the run
 * commits in batches, so that it is readable whatever ends the process; while it is written there are a log and an index beside it, in the end it is one file.
 *
 * A failure to write (a full disk) does not end the run: nothing more is written then, and {@link end} throws it.
 */
export class RunStore {
  readonly file: string;
  readonly #config: Config;
  readonly #hide: Redactor;
  readonly #db: Database;
  readonly #entries: EntryWriter;
  #explorations = 0;
  #journeys = 0;
  #failures = 0;
  #problem: Error | undefined;

  /** `document`: that of the run as if it ended here. `hide`: the run's own, which knows what it has hidden. @throws what the file system says */
  constructor(config: Config, document: RunDocument, hide: Redactor) {
    this.#config = config;
    this.#hide = hide;
    this.file = runFile(config.report.outputDir, document.run);
    mkdirSync(dirname(this.file), { recursive: true });
    closeSync(openSync(this.file, "wx", 0o600));
    this.#db = new DatabaseConstructor(this.file);
    try {
      this.#db.pragma("journal_mode = WAL");
      this.#db.pragma("synchronous = NORMAL");
      // What was written before it was known to be a secret, and is written anew, leaves no trace.
      this.#db.pragma("secure_delete = ON");
      this.#db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      this.#db.transaction(() => this.#create(document))();
      this.#entries = new EntryWriter(this.#db);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /** A keeper for the next exploration, of this file. */
  exploration(file: string): ExplorationKeeper {
    return new ExplorationKeeper(this.#explorations++, file, this.#db, this.#config.report, this.#hide, (work) => this.#attempt(work));
  }

  /** A journey that ended. */
  journey(entry: JourneyEntry): void {
    this.#attempt(() => this.#entries.journey(this.#journeys++, entry));
  }

  /** The journeys as they are reported in the end, in place of those that were told of. */
  journeys(entries: readonly JourneyEntry[]): void {
    this.#attempt(() => entries.forEach((entry, id) => this.#entries.journey(id, entry)));
  }

  failure(failure: ReportedFailure): void {
    this.#attempt(() => this.#entries.failure(this.#failures++, failure));
  }

  /** The run is over: the store becomes one plain file. @throws what went wrong with it, now or before */
  end(document: RunDocument): void {
    this.#attempt(() => writeEnd(this.#db, document));
    this.#close();
    if (this.#problem !== undefined) throw this.#problem;
    dropOldRuns(this.#config.report.outputDir);
  }

  /** The run ended otherwise than {@link end} was told. @throws what went wrong with the store, now or before */
  amend(document: RunDocument): void {
    if (this.#problem !== undefined) throw this.#problem;
    const db = new DatabaseConstructor(this.file, { fileMustExist: true });
    try {
      writeEnd(db, document);
    } finally {
      db.close();
    }
  }

  /** There was nothing to run: as if it had not been begun. */
  discard(): void {
    this.#db.close();
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${this.file}${suffix}`, { force: true });
  }

  #create(document: RunDocument): void {
    this.#db.exec(SCHEMA);
    this.#db.pragma(`user_version = ${SCHEMA_VERSION}`);
    const { run, seqqa, startedAt } = document;
    this.#db
      .prepare("INSERT INTO run (id, seqqa, started_at, document) VALUES (?, ?, ?, ?)")
      .run(run, seqqa, startedAt, documentText(document));
    const put = this.#db.prepare("INSERT INTO config (key, value, source) VALUES (?, ?, ?)");
    for (const { key, value, source } of configRows(this.#config)) put.run(key, value, source);
  }

  #attempt(work: () => void): void {
    if (this.#problem !== undefined) return;
    try {
      this.#db.transaction(work)();
    } catch (error) {
      this.#problem = asError(error);
    }
  }

  /** Somebody who reads it meanwhile keeps the log where it is, and the store readable. */
  #close(): void {
    try {
      this.#db.pragma("wal_checkpoint(TRUNCATE)");
      this.#db.pragma("journal_mode = DELETE");
    } catch (error) {
      if (!String((error as { readonly code?: unknown }).code).startsWith("SQLITE_BUSY")) this.#problem ??= asError(error);
    } finally {
      this.#db.close();
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function writeEnd(db: Database, document: RunDocument): void {
  const end = db.prepare("UPDATE run SET ended_at = ?, exit_status = ?, document = ?");
  end.run(new Date().toISOString(), document.exitStatus, documentText(document));
}

/** Its lists have tables of their own. */
function documentText(document: RunDocument): string {
  return JSON.stringify({ ...document, explorations: [], journeys: [], failures: [] });
}
