import { closeSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import type { Config } from "../../config/index.ts";
import type { JourneyEntry, Redactor, ReportedFailure, RunDocument } from "../../reports/index.ts";
import { configRows, type ConfigRow } from "../rows/config-rows.ts";
import { environmentRows } from "../rows/environment-rows.ts";
import { EntryWriter } from "../rows/entry-rows.ts";
import { ExplorationKeeper } from "./exploration-keeper.ts";
import type { RunHeader } from "../rows/run-header.ts";
import { resumedExploration } from "../read/resumed-exploration.ts";
import { RunLock } from "../run-lock.ts";
import { DRAFT_SUFFIX, dropOldRuns, removeRun, runFile } from "../read/runs.ts";
import { SCHEMA, SCHEMA_VERSION } from "../rows/schema.ts";
import type { StoredExploration } from "../read/resumable-run.ts";
import { openSqlite } from "../../stores/sqlite-driver.ts";

/** Pages of the log before they are moved into the file: about 16 MB. */
const CHECKPOINT_PAGES = 4_000;

/**
 * The store of a run: a SQLite file under `runs` in the folder of the reports, which only its owner can read, since it holds bodies. It has what the run
 * commits in batches, so that it is readable whatever ends the process; while it is written there are a log and an index beside it, in the end it is one file.
 *
 * A failure to write (a full disk) does not end the run: nothing more is written then, and {@link end} throws it.
 */
export class RunLog {
  readonly file: string;
  readonly #config: Config;
  readonly #hide: Redactor;
  readonly #db: Database;
  readonly #entries: EntryWriter;
  readonly #lock: RunLock;
  readonly #goesOn: boolean;
  readonly #flags: readonly ConfigRow[];
  #explorations = 0;
  #journeys = 0;
  #failures = 0;
  #problem: Error | undefined;

  /**
   * `document`: that of the run as if it ended here. `hide`: the run's own, which knows what it has hidden. `goesOn`: there is a store already, and the run
   * goes on in it. `flags`: what of the command line is not in the configuration, and is to hold then. @throws what the file system says, and SeqqaError `RUN_GOES_ON`
   */
  constructor(config: Config, document: RunDocument, hide: Redactor, goesOn = false, flags: readonly ConfigRow[] = []) {
    this.#config = config;
    this.#flags = flags;
    this.#hide = hide;
    this.#goesOn = goesOn;
    this.file = runFile(config.report.outputDir, document.run);
    mkdirSync(dirname(this.file), { recursive: true });
    this.#lock = new RunLock(this.file);
    let db: Database | undefined;
    try {
      if (!goesOn) this.#make(document);
      this.#db = db = openSqlite(this.file, { fileMustExist: true });
      this.#db.pragma("trusted_schema = OFF");
      this.#db.pragma("journal_mode = WAL");
      this.#db.pragma("synchronous = NORMAL");
      // What was written before it was known to be a secret, and is written anew, leaves no trace.
      this.#db.pragma("secure_delete = ON");
      this.#db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (goesOn) this.#db.transaction(() => this.#goOn(document))();
      this.#entries = new EntryWriter(this.#db);
    } catch (error) {
      db?.close();
      this.#lock.release();
      if (!goesOn) removeRun(this.file);
      throw error;
    }
  }

  /** A keeper for the next exploration, of this file. */
  exploration(file: string): ExplorationKeeper {
    return new ExplorationKeeper(this.#explorations++, file, this.#db, this.#config.report, this.#hide, (work) => this.#attempt(work));
  }

  /** A keeper for an exploration that goes on. */
  explorationAgain({ id, file }: StoredExploration, beginning: RunHeader): ExplorationKeeper {
    const before = resumedExploration(this.#db, id, beginning);
    return new ExplorationKeeper(id, file, this.#db, this.#config.report, this.#hide, (work) => this.#attempt(work), before);
  }

  /** A keeper for an exploration that is taken over as it is. */
  explorationTaken({ id, file }: StoredExploration): ExplorationKeeper {
    const keep = new ExplorationKeeper(id, file, this.#db, this.#config.report, this.#hide, (work) => this.#attempt(work));
    keep.taken();
    return keep;
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
    const db = openSqlite(this.file, { fileMustExist: true });
    try {
      writeEnd(db, document);
    } finally {
      db.close();
    }
  }

  /** There was nothing to run: as if it had not been begun, or not gone on. */
  discard(): void {
    this.#db.close();
    if (!this.#goesOn) removeRun(this.file);
    this.#lock.release();
  }

  /** Makes the store under a name of its own first: whoever finds it by its name finds a run in it, whenever this process is killed. */
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

  /** Until it is over again, what is here is the beginning of it. Files that failed are tried again. */
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

  /** Somebody who reads it meanwhile keeps the log where it is, and the store readable. */
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

/** Its lists have tables of their own. */
function documentText(document: RunDocument): string {
  return JSON.stringify({ ...document, explorations: [], journeys: [], failures: [] });
}
