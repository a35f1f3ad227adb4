import { closeSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import type { Config } from "../../config/index.ts";
import type { JourneyEntry, Redactor, ReportedFailure, RunDocument } from "../../reports/index.ts";
import { configRows, type ConfigRow } from "../rows/config-rows.ts";
import { environmentRows } from "../rows/environment-rows.ts";
import { EntryWriter } from "../rows/entry-rows.ts";
import { ensureFolder } from "./ensure-folder.ts";
import { ExplorationKeeper } from "./exploration-keeper.ts";
import type { RunHeader } from "../rows/run-header.ts";
import { resumedExploration, type ResumedExploration } from "../read/resumed-exploration.ts";
import { RunLock } from "../run-lock.ts";
import { DRAFT_SUFFIX, dropOldRuns, removeRun, runFile } from "../read/runs.ts";
import { SCHEMA, SCHEMA_VERSION } from "../rows/schema.ts";
import type { StoredExploration } from "../read/resumable-run.ts";
import { openSqlite } from "../../stores/connect/sqlite-driver.ts";

/** The size in pages (about 16 MB) at which SQLite moves the write-ahead log into the main file. */
const CHECKPOINT_PAGES = 4_000;

/**
 * The run log: a SQLite file under `runs` in the report folder. Only its owner can read the file, because it contains bodies of requests and answers.
 *
 * Commits are written in batches, so the file is readable even if the process is killed. While a run is writing, a write-ahead log and its index
 * exist in the same folder. A write error, such as a full disk, does not end the run. After such an error nothing more is written, and {@link end}
 * throws the error.
 */
export class RunLog {
  readonly file: string;
  readonly #config: Config;
  readonly #hide: Redactor;
  readonly #db: Database;
  readonly #entries: EntryWriter;
  readonly #lock: RunLock;
  readonly #isResumed: boolean;
  readonly #flags: readonly ConfigRow[];
  #explorations = 0;
  #journeys = 0;
  #failures = 0;
  #problem: Error | undefined;

  /**
   * Creates the run log of a new run, or opens the run log of a resumed run.
   * @param document The data of the run so far.
   * @param hide Removes the run's secrets from texts.
   * @param isResumed `true` if the run is resumed and its run log exists.
   * @param flags Command-line flags that are not part of the configuration but apply to a resumed run.
   * @throws SeqqaError `RUN_GOES_ON` if another process uses the run log. Errors of the file system or of SQLite if the run log cannot be created or
   * opened.
   */
  constructor(config: Config, document: RunDocument, hide: Redactor, isResumed = false, flags: readonly ConfigRow[] = []) {
    this.#config = config;
    this.#flags = flags;
    this.#hide = hide;
    this.#isResumed = isResumed;
    this.file = runFile(config.report.outputDir, document.run);
    ensureFolder(dirname(this.file));
    this.#lock = new RunLock(this.file);
    let db: Database | undefined;
    try {
      if (!isResumed) this.#make(document);
      this.#db = db = openSqlite(this.file, { fileMustExist: true });
      this.#db.pragma("trusted_schema = OFF");
      this.#db.pragma("journal_mode = WAL");
      this.#db.pragma("synchronous = NORMAL");
      // Let SQLite overwrite deleted text. The file may contain secrets that were stored before they became known.
      this.#db.pragma("secure_delete = ON");
      this.#db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (isResumed) this.#db.transaction(() => this.#goOn(document))();
      this.#entries = new EntryWriter(this.#db);
    } catch (error) {
      db?.close();
      this.#lock.release();
      if (!isResumed) removeRun(this.file);
      throw error;
    }
  }

  exploration(file: string): ExplorationKeeper {
    return this.#keeper(this.#explorations++, file);
  }

  explorationAgain({ id, file }: StoredExploration, beginning: RunHeader): ExplorationKeeper {
    const before = resumedExploration(this.#db, id, beginning);
    return this.#keeper(id, file, before);
  }

  /** Returns the writer for an exploration of an earlier session that stays unchanged. */
  explorationTaken({ id, file }: StoredExploration): ExplorationKeeper {
    const keep = this.#keeper(id, file);
    keep.taken();
    return keep;
  }

  #keeper(id: number, file: string, before?: ResumedExploration): ExplorationKeeper {
    const attempt = (work: () => void): void => this.#attempt(work);
    return new ExplorationKeeper({ id, file, db: this.#db, visibility: this.#config.report, hide: this.#hide, attempt, before });
  }

  journey(entry: JourneyEntry): void {
    this.#attempt(() => this.#entries.journey(this.#journeys++, entry));
  }

  /** Replaces the stored journeys by their final results. */
  journeys(entries: readonly JourneyEntry[]): void {
    this.#attempt(() => entries.forEach((entry, id) => this.#entries.journey(id, entry)));
  }

  failure(failure: ReportedFailure): void {
    this.#attempt(() => this.#entries.failure(this.#failures++, failure));
  }

  /** Stores the end of the run and merges the write-ahead log into the file. @throws the first write error */
  end(document: RunDocument): void {
    this.#attempt(() => writeEnd(this.#db, document));
    this.#close();
    if (this.#problem !== undefined) throw this.#problem;
    dropOldRuns(this.#config.report.outputDir, this.file);
  }

  /** Corrects the stored end of a run, for a run whose outcome changed after {@link end}. @throws the first write error */
  amend(document: RunDocument): void {
    if (this.#problem !== undefined) throw this.#problem;
    const db = openSqlite(this.file, { fileMustExist: true });
    try {
      writeEnd(db, document);
    } finally {
      db.close();
    }
  }

  /** Deletes the run log of a run that executed nothing. The run log of a resumed run is not deleted. */
  discard(): void {
    this.#db.close();
    if (!this.#isResumed) removeRun(this.file);
    this.#lock.release();
  }

  /** Creates the run log under a temporary name and renames it. A file with the final name is then always complete. */
  #make(document: RunDocument): void {
    const draft = `${this.file}${DRAFT_SUFFIX}`;
    closeSync(openSync(draft, "wx", 0o600));
    const db = openSqlite(draft, { fileMustExist: true });
    try {
      db.transaction(() => {
        db.exec(SCHEMA);
        db.pragma(`user_version = ${SCHEMA_VERSION}`);
        const { run, seqqa, startedAt } = document;
        const insert = db.prepare("INSERT INTO run (id, seqqa, started_at, document) VALUES (?, ?, ?, ?)");
        insert.run(run, seqqa, startedAt, documentText(document));
        this.#putConfig(db);
      })();
    } finally {
      db.close();
    }
    renameSync(draft, this.file);
  }

  /** Marks a resumed run as not ended. Stored failures are deleted, because the files that failed are tried again. */
  #goOn(document: RunDocument): void {
    this.#db.prepare("UPDATE run SET ended_at = NULL, exit_status = NULL, document = ?").run(documentText(document));
    this.#db.exec("DELETE FROM failures; DELETE FROM config; DELETE FROM environment");
    this.#putConfig(this.#db);
    this.#explorations = this.#db.prepare("SELECT ifnull(max(id) + 1, 0) FROM explorations").pluck().get() as number;
  }

  #putConfig(db: Database): void {
    const put = db.prepare("INSERT INTO config (key, value, source) VALUES (?, ?, ?)");
    for (const { key, value, source } of [...configRows(this.#config), ...this.#flags]) put.run(key, value, source);
    const putValue = db.prepare("INSERT INTO environment (key, salt, hash) VALUES (?, ?, ?)");
    for (const { key, salt, hash } of environmentRows(this.#config)) putValue.run(key, salt, hash);
  }

  #attempt(work: () => void): void {
    if (this.#problem !== undefined) return;
    try {
      this.#db.transaction(work)();
    } catch (error) {
      this.#problem = asError(error);
    }
  }

  /**
   * Merges the write-ahead log into the file and closes the file. If another process is reading the file, the write-ahead log remains beside the
   * file, and the file stays readable.
   */
  #close(): void {
    try {
      this.#db.pragma("wal_checkpoint(TRUNCATE)");
      this.#db.pragma("journal_mode = DELETE");
    } catch (error) {
      if (!String((error as { readonly code?: unknown }).code).startsWith("SQLITE_BUSY")) this.#problem ??= asError(error);
    } finally {
      this.#db.close();
      this.#lock.release();
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function writeEnd(db: Database, document: RunDocument): void {
  const end = db.prepare("UPDATE run SET ended_at = ?, exit_status = ?, document = ?");
  end.run(new Date().toISOString(), document.exitStatus, documentText(document));
}

/** Returns the data of the run as JSON, without the lists that have their own tables. */
function documentText(document: RunDocument): string {
  return JSON.stringify({ ...document, explorations: [], journeys: [], failures: [] });
}
