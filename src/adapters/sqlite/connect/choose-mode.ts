import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import { ignoredColumns, ignoredTables, type IgnorePattern } from "../../../model/stores/ignored.ts";
import type { CheckpointChoice, StoreScope } from "../../../model/stores/store-adapter.ts";
import { refusedWhereItIs, requireNoReference, INSTEAD_WHOLE_STORE, WHOLE_STORE } from "../../../stores/external/external-store.ts";
import { unblind } from "../journal/blind.ts";
import { prepareControl } from "./connect.ts";
import { CopyMode } from "../copy/copy-mode.ts";
import { uninstall } from "../journal/install.ts";
import { JournalMode } from "../journal/journal-mode.ts";
import { referencesOf } from "../journal/put-back-kept.ts";
import type { SqliteMode } from "./mode.ts";
import { SavepointMode } from "../savepoint/savepoint-mode.ts";
import { planTables, type TablePlan } from "../journal/table-plan.ts";

export type SqliteCheckpoint = "auto" | "journal" | "copy" | "savepoint";

export interface Choosing {
  readonly file: string;
  readonly wanted: SqliteCheckpoint;
  readonly scope: StoreScope;
  readonly tables: readonly string[] | undefined;
  /** The shared connection. `undefined` if the target does not use it. */
  readonly shared: Database | undefined;
  readonly connect: () => Database;
  readonly lend: () => Database;
  /** The patterns of the option `ignore`. In an external file, matching tables and columns are not restored. */
  readonly ignore: readonly IgnorePattern[];
  /** The checkpoint mode that this store had before the target restarted. */
  readonly previous: SqliteMode | undefined;
}

export interface Chosen {
  readonly mode: SqliteMode;
  readonly choice: CheckpointChoice;
}

/** Chooses the checkpoint mode. @throws SeqqaError if the wanted mode is not possible; SqliteError if the file is locked or invalid */
export function chooseMode(choosing: Choosing): Chosen {
  const { wanted, scope, shared } = choosing;
  // A target that uses the shared connection runs in this process, even if `scope.inProcess` is `false`.
  const inProcess = scope.inProcess || shared !== undefined;
  if (wanted === "savepoint" && !inProcess) {
    throw new SeqqaError(
      "SAVEPOINT_OUT_OF_PROCESS",
      `Checkpoint mode "savepoint" cannot be used for ${choosing.file}, because the target does not run inside seqqa's process.`,
      {
        hint: "Set `checkpoint: auto`, or run the target inside seqqa's process with `target.module`. A savepoint undoes only changes made on seqqa's own connection.",
        exitStatus: 2,
      },
    );
  }
  if (wanted === "savepoint" || (wanted === "auto" && shared !== undefined)) {
    return savepoint(choosing, wanted === "auto" ? "the target runs in seqqa's process and uses seqqa's connection" : "as configured");
  }
  const db = choosing.connect();
  try {
    prepareControl(db);
    // A lane's file is discarded after a crash, so writes to it need no fsync. An external file keeps the setting of its owner.
    if (!scope.borrowed) db.pragma("synchronous = off");
    requireWritable(db);
    requireTables(db, choosing);
    if (wanted === "copy") return { mode: copy(choosing, db, WHOLE_STORE), choice: { mode: "copy", why: "as configured" } };
    return journalOrCopy(choosing, db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function savepoint(choosing: Choosing, why: string): Chosen {
  const db = choosing.lend();
  requireTables(db, choosing);
  const plans = planTables(db, choosing.tables);
  if (typeof plans === "string") {
    throw new SeqqaError(
      "SAVEPOINT_CANNOT_OBSERVE",
      `Checkpoint mode "savepoint" cannot be used for ${choosing.file}, because seqqa cannot record changes to the file: ${plans}.`,
      {
        hint: 'Set `checkpoint: "copy"`, and let the target open its own connection to the file: pass the path `lane.dbPath` to the target.',
        exitStatus: 2,
      },
    );
  }
  return { mode: new SavepointMode(db, choosing.file, plans, choosing.scope.borrowed), choice: { mode: "savepoint", why } };
}

function journalOrCopy(choosing: Choosing, db: Database): Chosen {
  const previous = choosing.previous instanceof JournalMode ? choosing.previous : undefined;
  const plans = journalled(db, planTables(db, choosing.tables), choosing);
  const obstacle = typeof plans === "string" ? plans : undefined;
  if (obstacle === undefined && typeof plans !== "string") {
    try {
      const mode = new JournalMode(db, choosing.file, plans, {
        previous,
        borrowed: choosing.scope.borrowed,
        asked: choosing.scope.asked,
        wrote: choosing.scope.wrote,
        watching: choosing.scope.watching,
        faulty: choosing.scope.faulty,
        unrestored: choosing.scope.unrestored,
      });
      const own = choosing.scope.inProcess
        ? "the target runs in seqqa's process, but opens its own connections"
        : "the target opens its own connections";
      return { mode, choice: { mode: "journal", why: choosing.wanted === "journal" ? "as configured" : own } };
    } catch (error) {
      if (!hinders(error)) throw error;
      unblind(db);
      uninstall(db);
      return fallBack(choosing, db, (error as Error).message);
    }
  }
  return fallBack(choosing, db, obstacle ?? "");
}

/** Returns the tables that the journal restores. In an external file, ignored tables and columns are left out. */
function journalled(db: Database, plans: TablePlan[] | string, { file, ignore, scope }: Choosing): TablePlan[] | string {
  if (typeof plans === "string" || !scope.borrowed) return plans;
  const leftAlone = ignoredTables(ignore, scope.name, plans);
  requireNoReference(
    `the SQLite file ${file}`,
    leftAlone,
    referencesOf(db).map(({ child, from, parent, onDelete }) => ({
      child,
      column: from[0]!,
      parent,
      deletes: /^(?:CASCADE|SET)/.test(onDelete),
    })),
  );
  const schema = plans.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }));
  const ignored = ignoredColumns(ignore, scope.name, schema);
  return plans
    .filter(({ name }) => !leftAlone.has(name))
    .map((plan, index) => {
      const at = plan.columns.flatMap(({ name }, i) => (ignored.get(plan.name)?.has(name) === true ? [i + plan.shownFrom] : []));
      // Key columns are always restored, even if `ignore` names them.
      return { ...plan, index, ignoredAt: at.filter((one) => !plan.keyAt.includes(one)) };
    });
}

function fallBack(choosing: Choosing, db: Database, obstacle: string): Chosen {
  const why = `the journal cannot be used: ${obstacle}`;
  return {
    mode: copy(choosing, db, `${why}, and a copy ${INSTEAD_WHOLE_STORE}`),
    choice: { mode: "copy", why },
  };
}

/** Creates the mode `copy`. `refusal` is the reason why an external file cannot be copied as a whole. @throws SeqqaError `CHECKPOINT_REFUSED` */
function copy({ file, tables, scope, previous }: Choosing, db: Database, refusal: string): CopyMode {
  if (scope.borrowed) throw refusedWhereItIs("copy", `the SQLite file ${file}`, refusal);
  return new CopyMode(db, file, tables, { previous: previous instanceof CopyMode ? previous : undefined });
}

/**
 * Returns `true` if the schema causes the error, e.g. because it uses a function that only the target defines. Returns `false` for file and lock
 * errors.
 */
function hinders(error: unknown): boolean {
  if (error instanceof SeqqaError) return error.code === "JOURNAL_HINDERED";
  const code = (error as { code?: unknown } | null)?.code;
  return code === "SQLITE_ERROR" || code === "SQLITE_AUTH" || code === "SQLITE_TOOBIG";
}

function requireWritable(db: Database): void {
  // Acquire and release the write lock without writing, which fails if the file is read-only.
  db.exec("begin immediate; rollback");
}

function requireTables(db: Database, { tables, file }: Choosing): void {
  if (tables === undefined) return;
  const names = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all();
  const unknown = tables.filter((table) => !names.includes(table));
  if (unknown.length === 0) return;
  const own = names.filter((name) => !/^(?:sqlite|seqqa)_/.test(name));
  throw new SeqqaError("TABLE_UNKNOWN", `The option \`tables\` names "${unknown[0]}", but the SQLite file ${file} has no such table.`, {
    hint:
      own.length > 0
        ? `Use the name of an existing table: ${own.join(", ")}.`
        : "The file has no tables. Create the tables before the run, or make the target create them before it answers target.ready.",
    exitStatus: 2,
  });
}
