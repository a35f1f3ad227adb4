import type { Database, Statement } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import type { Observed, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { allCounters, NetMirror, observeNet, shownRow, type Segment } from "../../../stores/index.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import { schemaChanged } from "../connect/failures.ts";
import type { SqliteMode } from "../connect/mode.ts";
import { schemaDifference, schemaText } from "../connect/schema-text.ts";
import type { TablePlan } from "../journal/table-plan.ts";
import { logTable, tableTriggers } from "../journal/triggers.ts";
import { UndoLog } from "../journal/undo-log.ts";

interface Level {
  readonly segment: Segment;
  /** The number of the last log entry that was read at this savepoint. A rollback to the savepoint removes all later entries. */
  readonly read: bigint;
}

/**
 * Makes checkpoints with nested savepoints on the shared connection of a target in this process. Nothing is committed while exploring. A rollback
 * takes about 1 us, however much was changed. Temporary triggers of the connection log the changes into a temporary table, so that a step does not
 * need to read all tables. A rollback also removes the log entries, and nothing remains in the file.
 */
export class SavepointMode implements SqliteMode {
  readonly traits: StoreTraits = { portable: false, commits: false };
  readonly db: Database;
  readonly #file: string;
  readonly #log: UndoLog;
  readonly #plans: readonly TablePlan[];
  readonly #schema: ReadonlyMap<string, string>;
  readonly #totalChanges: Statement<[], number>;
  readonly #schemaVersion: Statement<[], number>;
  #knownChanges = -1;
  #knownSchema: number;
  #levels: Level[] = [];
  readonly #rollbacks: Statement<[]>[] = [];

  /** @param borrowed `true` if the file is external. At the end, all later changes, including the changes of `setup`, are then rolled back. */
  constructor(db: Database, file: string, plans: readonly TablePlan[], borrowed: boolean = false) {
    this.db = db;
    this.#file = file;
    this.#plans = plans;
    removeTemporary(db);
    db.exec(logTable(plans, true));
    for (const plan of plans) for (const trigger of tableTriggers(plan, "temporary")) db.exec(trigger);
    this.#schema = schemaText(db);
    this.#totalChanges = db.prepare<[], number>("select total_changes()").pluck();
    this.#schemaVersion = db.prepare<[], number>("pragma main.schema_version").pluck();
    this.#knownSchema = this.#schemaVersion.get() as number;
    this.#log = new UndoLog(db, file, plans);
    if (borrowed) db.exec("savepoint seqqa_open");
    this.#begin();
  }

  root(): Observed {
    this.#alive();
    // In a lane's own file, commit the changes that `setup` made, so that they are kept when this mode is closed.
    this.db.exec("release seqqa_0");
    const counters = this.#log.counters();
    const tables = this.#log.tables
      .filter(({ plan }) => plan.observed)
      .map((io) => ({ name: io.plan.name, columns: io.plan.columns, added: io.all().map((row) => shownRow(io.plan, row)), removed: [] }))
      .filter((table) => table.added.length > 0);
    this.#log.clear();
    this.#log.emptied(new NetMirror(this.#plans.length, counters));
    this.#begin();
    return { kind: "rows", tables, counters: allCounters(counters) };
  }

  mark(): Segment {
    this.#sync();
    const { top } = this.#log.mirror;
    if (this.#levels[this.#levels.length - 1]?.segment !== top) this.#save(top);
    return top;
  }

  changed(mark: unknown): boolean {
    this.#sync();
    return this.#log.mirror.top !== mark;
  }

  restore(mark: unknown): void {
    this.#alive();
    const at = this.#levels.findLastIndex((level) => level.segment === mark);
    const level = this.#levels[at];
    if (level === undefined || !this.#log.mirror.holds(level.segment)) throw markInvalid();
    try {
      (this.#rollbacks[at] ??= this.db.prepare(`rollback to seqqa_${at}`)).run();
    } catch (error) {
      throw this.#lost(error);
    }
    this.#levels.length = at + 1;
    this.#log.mirror.popTo(level.segment);
    this.#log.rewind(level.read);
    this.#knownChanges = this.#totalChanges.get() as number;
  }

  observe(): Observed {
    this.#sync();
    return observeNet(this.#plans, this.#log.mirror);
  }

  capture(): never {
    throw notPortable();
  }

  write(): never {
    throw notPortable();
  }

  /** Rolls back to the root state (in an external file: to its content when it was opened), then closes the connection. */
  close(): void {
    if (!this.db.open) return;
    if (this.db.inTransaction) this.db.exec("rollback");
    removeTemporary(this.db);
    this.db.close();
  }

  #begin(): void {
    this.#levels = [];
    this.#save(this.#log.mirror.top);
    this.#knownChanges = this.#totalChanges.get() as number;
  }

  #save(segment: Segment): void {
    this.db.exec(`savepoint seqqa_${this.#levels.length}`);
    this.#levels.push({ segment, read: this.#log.read });
  }

  #sync(): void {
    this.#alive();
    const schema = this.#schemaVersion.get() as number;
    if (schema !== this.#knownSchema) {
      const difference = schemaDifference(this.#schema, schemaText(this.db));
      if (difference !== undefined) throw schemaChanged(this.#file, difference);
      this.#knownSchema = schema;
    }
    const changes = this.#totalChanges.get() as number;
    if (changes === this.#knownChanges) return;
    this.#log.sync();
    this.#knownChanges = changes;
  }

  #alive(): void {
    if (!this.db.inTransaction) throw this.#lost(undefined);
  }

  #lost(cause: unknown): SeqqaError {
    return new SeqqaError(
      "SAVEPOINT_LOST",
      `The target ended the transaction that seqqa holds open on the SQLite file ${this.#file} during the exploration.`,
      {
        hint: 'In the target, use savepoints or db.transaction() of better-sqlite3 instead of BEGIN, COMMIT and ROLLBACK. Or set `checkpoint: "journal"`.',
        cause,
      },
    );
  }
}

function removeTemporary(db: Database): void {
  const names = db
    .prepare<[], { type: string; name: string }>(
      "select type, name from sqlite_temp_schema where type in ('table', 'trigger') and name like 'seqqa\\_%' escape '\\' order by type desc",
    )
    .all();
  for (const { type, name } of names) db.exec(`drop ${type} if exists temp.${name}`);
}

function notPortable(): SeqqaError {
  return new SeqqaError(
    "NOT_PORTABLE",
    'A checkpoint of the mode "savepoint" cannot be copied to another lane, because it exists only on one database connection.',
    { hint: 'Set `checkpoint: "journal"`, and let the target open its own connection to the file lane.dbPath.' },
  );
}
