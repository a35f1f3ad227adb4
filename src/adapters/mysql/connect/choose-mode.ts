import { SeqqaError } from "../../../model/errors.ts";
import { ignoredColumns, ignoredTables, type IgnorePattern } from "../../../model/stores/ignored.ts";
import type { CheckpointChoice, StoreScope, TableSchema } from "../../../model/stores/store-adapter.ts";
import { refusedWhereItIs, requireNoReference, INSTEAD_WHOLE_STORE, WHOLE_STORE } from "../../../stores/external/external-store.ts";
import { readCatalog, type Catalog, type Table } from "../schema/catalog.ts";
import { Control } from "./control.ts";
import { CopyMode } from "../copy/copy-mode.ts";
import { isDenied, safeCause, unexpected } from "./failures.ts";
import { JournalMode } from "../journal/journal-mode.ts";
import type { SharedConnection } from "../savepoint/shared-connection.ts";
import type { MysqlMode } from "./mode.ts";
import { journalObstacle } from "../journal/obstacles.ts";
import { requireNoneLeft } from "../journal/recover.ts";
import { savepointObstacle } from "../savepoint/savepoint-install.ts";
import { SavepointMode } from "../savepoint/savepoint-mode.ts";
import { select } from "../read/selection.ts";
import type { StoreUrl } from "./store-url.ts";

export type MysqlCheckpoint = "auto" | "journal" | "savepoint" | "copy";

export interface Choosing {
  readonly store: StoreUrl;
  readonly wanted: MysqlCheckpoint;
  readonly scope: StoreScope;
  readonly tables: readonly string[] | undefined;
  /** The shared connection. `undefined` if the target does not use it. */
  readonly shared: SharedConnection | undefined;
  readonly lend: () => SharedConnection;
  /** The patterns of the option `ignore`. In an external store, matching tables and columns are not restored. */
  readonly ignore: readonly IgnorePattern[];
  /** The checkpoint mode that this store had before the target restarted. */
  readonly previous: MysqlMode | undefined;
}

export interface Chosen {
  readonly mode: MysqlMode;
  readonly choice: CheckpointChoice;
  readonly schema: readonly TableSchema[];
}

/** Chooses and opens the checkpoint mode. @throws SeqqaError if the wanted mode is not possible or the database cannot be reached. */
export async function chooseMode(choosing: Choosing): Promise<Chosen> {
  const { store, wanted, scope, tables, previous, shared } = choosing;
  // A target that uses the shared connection runs in this process, even if `scope.inProcess` is `false`.
  const inProcess = scope.inProcess || shared !== undefined;
  if (wanted === "savepoint" && !inProcess) {
    throw new SeqqaError(
      "SAVEPOINT_OUT_OF_PROCESS",
      `${store.shown} cannot use checkpoint mode "savepoint", because the target does not run inside seqqa's process.`,
      {
        hint: "Set `checkpoint: auto`, or run the target inside seqqa's process with `target.module`. A savepoint undoes only changes made on seqqa's own connection.",
        exitStatus: 2,
      },
    );
  }
  const control = await Control.open(store);
  try {
    if (scope.borrowed) await requireNoneLeft(control);
    const catalog = await readCatalog(control);
    if (catalog.strange.length > 0) throw strangeStore(scope.name, catalog.strange[0]!);
    // A savepoint cannot undo writes to tables without transactions. If the schema has such a table, use another mode, even if the connection is
    // shared.
    if (wanted === "savepoint" || (wanted === "auto" && shared !== undefined && savepointObstacle(catalog) === undefined))
      return await savepoint(choosing, control, catalog);
    const selection = select(store, catalog.tables, tables);
    const obstacle = wanted === "copy" ? undefined : journalObstacle(catalog);
    if (wanted !== "copy" && obstacle === undefined) {
      try {
        const before = previous instanceof JournalMode && !scope.borrowed ? previous : undefined;
        const mode = await JournalMode.open(control, journalled(catalog, choosing), {
          selection,
          borrowed: scope.borrowed,
          gated: scope.gated === true || scope.faulty === true,
          asked: scope.asked,
          wrote: scope.wrote,
          watching: scope.watching,
          previous: before,
        });
        const own = scope.inProcess
          ? "the target runs in seqqa's process, but opens its own connections"
          : "the target opens its own connections";
        return { mode, choice: { mode: "journal", why: wanted === "journal" ? "as configured" : own }, schema: schemaOf(catalog) };
      } catch (error) {
        if (!isDenied(error)) throw error;
        throw notAllowed(store, error);
      }
    }
    const why = obstacle === undefined ? "as configured" : `the journal cannot be used: ${obstacle}`;
    if (scope.borrowed) {
      const refusal = obstacle === undefined ? WHOLE_STORE : `${why}, and a copy ${INSTEAD_WHOLE_STORE}`;
      throw refusedWhereItIs("copy", `the database ${store.shown}`, refusal);
    }
    const mode = await CopyMode.open(
      control,
      { selection, isWhole: tables === undefined },
      previous instanceof CopyMode ? previous : undefined,
    );
    return { mode, choice: { mode: "copy", why }, schema: schemaOf(catalog) };
  } catch (error) {
    await control.close();
    if (error instanceof SeqqaError) throw error;
    throw isDenied(error) ? notAllowed(store, error) : unexpected(store, error);
  }
}

async function savepoint(choosing: Choosing, control: Control, catalog: Catalog): Promise<Chosen> {
  const { store, scope, tables, wanted, lend } = choosing;
  const mode = await SavepointMode.open({
    control,
    core: lend().core,
    borrowed: scope.borrowed,
    catalog,
    selection: (found) => select(store, found, tables),
  });
  const why = wanted === "savepoint" ? "as configured" : "the target runs in seqqa's process and uses seqqa's connection";
  return { mode, choice: { mode: "savepoint", why }, schema: schemaOf(catalog) };
}

function schemaOf({ tables, keys }: Catalog): TableSchema[] {
  return tables.map(({ name, shown, counted }): TableSchema => {
    const references = keys.flatMap(({ child, childColumns: [column, ...others], parent, parentColumns }) =>
      child === name && others.length === 0 ? [{ column: column!, to: { table: parent, column: parentColumns[0]! }, isChecked: true }] : [],
    );
    return {
      name,
      columns: shown.map((column) => column.name),
      ...(references.length > 0 && { references }),
      ...(counted !== undefined && { counters: [{ name, column: counted, shows: "next" }] }),
    };
  });
}

/** Returns the tables that the journal restores. In an external store, ignored tables and columns are left out. */
function journalled(catalog: Catalog, { store, ignore, scope }: Choosing): Catalog {
  if (!scope.borrowed) return catalog;
  const leftAlone = ignoredTables(ignore, scope.name, catalog.tables);
  requireNoReference(
    `the database ${store.shown}`,
    leftAlone,
    catalog.keys.map(({ child, childColumns, parent, onDelete }) => ({
      child,
      column: childColumns[0]!,
      parent,
      deletes: onDelete !== "none",
    })),
  );
  const named = ignoredColumns(ignore, scope.name, schemaOf(catalog));
  const tables = catalog.tables.filter(({ name }) => !leftAlone.has(name)).map((table) => withIgnored(table, named.get(table.name)));
  return { ...catalog, tables, keys: catalog.keys.filter(({ child, parent }) => !leftAlone.has(child) && !leftAlone.has(parent)) };
}

/**
 * Returns the table with its ignored columns. Key columns cannot be ignored. A table without a key has no ignored columns, because all columns
 * identify its rows.
 */
function withIgnored(table: Table, names: ReadonlySet<string> | undefined): Table {
  if (names === undefined || table.key.length === 0) return table;
  const ignored = table.columns.flatMap(({ name }, at) => (names.has(name) && !table.key.includes(at) ? [at] : []));
  return { ...table, ignored };
}

/**
 * Returns the error for a database that no checkpoint mode can restore. The message names the store as the World does, because the database is
 * usually a lane's copy, whose name the user does not know.
 */
function strangeStore(name: string, what: string): SeqqaError {
  return new SeqqaError("STORE_NOT_SUPPORTED", `seqqa cannot restore the store ${name}: ${what}.`, {
    hint: "Change or remove the named object in the database, for example use AUTO_INCREMENT instead of a sequence. Or leave the database out of `db_url` and `systems`, and restore it with a `reset` function in the World.",
    exitStatus: 2,
  });
}

function notAllowed(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError(
    "STORE_NOT_ALLOWED",
    `The database user of ${store.shown} is not allowed to create the tables and triggers with which seqqa restores data: ${cause.message}.`,
    {
      hint: "Grant the user TRIGGER, CREATE, DROP, SELECT, INSERT, UPDATE and DELETE on the database. If the binary log is on, also set log_bin_trust_function_creators = 1.",
      exitStatus: 2,
      cause,
    },
  );
}
