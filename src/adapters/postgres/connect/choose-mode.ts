import { SeqqaError } from "../../../model/errors.ts";
import { ignoredColumns, ignoredTables, type IgnorePattern } from "../../../model/stores/ignored.ts";
import type { CheckpointChoice, StoreScope } from "../../../model/stores/store-adapter.ts";
import { refusedWhereItIs, requireNoReference, INSTEAD_WHOLE_STORE, WHOLE_STORE } from "../../../stores/external/external-store.ts";
import { readCatalog, type Catalog, type Sequence, type Table } from "../schema/catalog.ts";
import { CloneMode } from "../clone/clone-mode.ts";
import { Control } from "./control.ts";
import { JournalMode } from "../journal/journal-mode.ts";
import type { SharedConnection } from "../savepoint/shared-connection.ts";
import type { PostgresMode } from "./mode.ts";
import { CLONE_COST, journalObstacle, locksObstacle } from "../journal/obstacles.ts";
import { requireNothingLeft } from "../journal/recover.ts";
import { SavepointMode } from "../savepoint/savepoint-mode.ts";
import { select } from "../read/selection.ts";
import type { StoreUrl } from "./store-url.ts";

export type PostgresCheckpoint = "auto" | "journal" | "savepoint" | "clone";

export interface Choosing {
  readonly store: StoreUrl;
  readonly wanted: PostgresCheckpoint;
  readonly scope: StoreScope;
  readonly schemas: readonly string[] | undefined;
  readonly tables: readonly string[] | undefined;
  /** The shared connection. `undefined` if the target does not use it. */
  readonly shared: SharedConnection | undefined;
  readonly lend: () => SharedConnection;
  /** The patterns of the option `ignore`. In an external store, matching tables and columns are not restored. */
  readonly ignore: readonly IgnorePattern[];
  /** The checkpoint mode that this store had before the target restarted. */
  readonly previous: PostgresMode | undefined;
}

export interface Chosen {
  readonly mode: PostgresMode;
  readonly choice: CheckpointChoice;
}

/** Chooses and opens the checkpoint mode. @throws SeqqaError if the wanted mode is not possible or the database cannot be reached. */
export async function chooseMode(choosing: Choosing): Promise<Chosen> {
  const { store, wanted, scope, shared } = choosing;
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
  if (wanted === "savepoint" || (wanted === "auto" && shared !== undefined)) return savepoint(choosing);
  return wanted === "clone" ? clone(choosing, "as configured", WHOLE_STORE) : journalOrClone(choosing);
}

async function savepoint(choosing: Choosing): Promise<Chosen> {
  const { store, schemas, tables, scope, wanted } = choosing;
  const mode = await SavepointMode.open({ store, core: choosing.lend().core, borrowed: scope.borrowed, schemas, tables });
  const why = wanted === "savepoint" ? "as configured" : "the target runs in seqqa's process and uses seqqa's connection";
  return { mode, choice: { mode: "savepoint", why } };
}

async function journalOrClone(choosing: Choosing): Promise<Chosen> {
  const { store, scope, schemas, tables, previous } = choosing;
  const control = await Control.open(store);
  let obstacle: string | undefined;
  try {
    if (scope.borrowed) await requireNothingLeft(control);
    const { all, unrestored } = withUnrestored(await readCatalog(control.client), scope.unrestored ?? []);
    const selection = select(store, all, schemas, tables);
    const catalog = journalled(all, choosing);
    obstacle = await journalObstacle(control.client, control.rights, catalog);
    if (scope.borrowed) obstacle ??= await locksObstacle(control.client, control.rights, catalog);
    if (obstacle === undefined) {
      const mode = await JournalMode.open(control, catalog, {
        selection,
        borrowed: scope.borrowed,
        asked: scope.asked,
        wrote: scope.wrote,
        unrestored,
        watching: scope.watching,
        gated: scope.gated === true || scope.faulty === true,
        previous: previous instanceof JournalMode ? previous : undefined,
      });
      const own = scope.inProcess
        ? "the target runs in seqqa's process, but opens its own connections"
        : "the target opens its own connections";
      return { mode, choice: { mode: "journal", why: choosing.wanted === "journal" ? "as configured" : own } };
    }
  } catch (error) {
    await control.close();
    throw error;
  }
  await control.close();
  const why = `the journal cannot be used: ${obstacle}`;
  return clone(choosing, `${why}; ${CLONE_COST}`, `${why}, and a clone ${INSTEAD_WHOLE_STORE}`);
}

/**
 * Returns a copy of the catalog in which the named sequences count as cached, so that restores leave them unchanged. Also returns these sequences.
 */
function withUnrestored(catalog: Catalog, names: readonly string[]): { readonly all: Catalog; readonly unrestored: readonly Sequence[] } {
  const unrestored = catalog.sequences.filter(({ name, cached }) => !cached && names.includes(name));
  if (unrestored.length === 0) return { all: catalog, unrestored };
  const sequences = catalog.sequences.map((one) => (unrestored.includes(one) ? { ...one, cached: true } : one));
  return { all: { ...catalog, sequences }, unrestored };
}

/** Returns the tables that the journal restores. In an external store, ignored tables and columns are left out. */
function journalled(catalog: Catalog, { store, ignore, scope }: Choosing): Catalog {
  if (!scope.borrowed) return catalog;
  const leftAlone = ignoredTables(ignore, scope.name, catalog.tables);
  requireNoReference(`the database ${store.shown}`, leftAlone, catalog.references);
  const schema = catalog.tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }));
  const named = ignoredColumns(ignore, scope.name, schema);
  return {
    ...catalog,
    tables: catalog.tables.filter(({ name }) => !leftAlone.has(name)).map((table) => withIgnored(table, named.get(table.name))),
    // A sequence without known users may belong to an ignored table, so the sequence is left out if tables are ignored.
    sequences: catalog.sequences.filter(
      ({ usedBy }) => leftAlone.size === 0 || (usedBy.length > 0 && !usedBy.some((name) => leftAlone.has(name))),
    ),
  };
}

/**
 * Returns the table with its ignored columns. Key columns cannot be ignored. A table without a key has no ignored columns, because all columns
 * identify its rows.
 */
function withIgnored(table: Table, names: ReadonlySet<string> | undefined): Table {
  if (names === undefined || table.key.length === 0) return table;
  const ignored = table.columns.filter(
    ({ name, generated }) => names.has(name) && !generated && !table.key.some((one) => one.name === name),
  );
  return { ...table, ignored: ignored.map(({ name }) => name) };
}

/** Opens the mode `clone`. `refusal`: why an external store cannot be cloned. @throws SeqqaError `CHECKPOINT_REFUSED` */
async function clone({ store, scope, schemas, tables, previous }: Choosing, why: string, refusal: string): Promise<Chosen> {
  if (scope.borrowed) throw refusedWhereItIs("clone", `the database ${store.shown}`, refusal);
  const mode = await CloneMode.open({ store, schemas, tables, previous: previous instanceof CloneMode ? previous : undefined });
  return { mode, choice: { mode: "clone", why } };
}
