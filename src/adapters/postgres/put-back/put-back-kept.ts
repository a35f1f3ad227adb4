import { SeqqaError } from "../../../model/errors.ts";
import type { Leftover, RowImages } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { OURS, readCatalog, type Table } from "../schema/catalog.ts";
import { Writing, type Control } from "../connect/control.ts";
import { CACHED } from "../journal/counter-sql.ts";
import { putCountersBack } from "../journal/counters-back.ts";
import { codeOf, incoherent, isBusy, notPutBack } from "../connect/failures.ts";
import { readLayout, type RecordedTable } from "../journal/journal-sql.ts";
import { changesOf, sumsOf, type Change } from "../journal/kept-rows.ts";
import { presentTable, recordedRows, renewFunctions, widened, withOwnValues } from "../journal/present-table.ts";
import { requireLease } from "../journal/lease.ts";
import { INCOHERENT_STATE } from "./put-back-sql.ts";
import { putNotedCounters } from "../savepoint/savepoint-recovery.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";
import { undoRows } from "../journal/undo-rows.ts";

export interface PuttingBack extends Cleaning {
  /** `true` for a live run, whose lease must be valid during the restore. Default `false`. */
  readonly leased?: boolean | undefined;
  /** Reads the last entries of the undo log. Called after the tables are locked, when no other session can write. */
  readonly lastLook?: (() => Promise<void>) | undefined;
  readonly limitMs?: number | undefined;
}

/**
 * Restores an external store to its content from before the run, and removes seqqa's schema, in one transaction. Uses only data in the store.
 * Restores a row only if the row still has the values that the run recorded. Does not restore rows that were changed later, or rows to which such
 * rows refer.
 *
 * @throws SeqqaError `STORE_BUSY`, `STORE_NOT_PUT_BACK`, `LEASE_OVER`
 */
export function putBackKept(control: Control, how: PuttingBack = {}): Promise<Leftover> {
  return control.patiently(
    () =>
      control.transaction(async () => {
        try {
          return await putBack(control, how);
        } catch (error) {
          if (isBusy(error) || error instanceof Writing || error instanceof SeqqaError) throw error;
          if (codeOf(error) === INCOHERENT_STATE) throw incoherent(control.store, (error as Error).message);
          throw notPutBack(control.store, error);
        }
      }),
    how.limitMs,
  );
}

async function putBack(control: Control, { dryRun = false, onKept, leased = false, lastLook }: PuttingBack): Promise<Leftover> {
  if (leased) await requireLease(control);
  let leftover: Leftover = { store: `the database ${control.store.shown}`, sinceMs: 0, recordedMs: 0, undo: [], keep: [] };
  await requireOwned(control);
  const [there] = await control.rows(`select to_regclass('${OURS}.kept'), to_regclass('${OURS}.lease'), to_regclass('${CACHED}')`);
  if (typeof there?.[0] === "string") {
    if (typeof there[1] !== "string")
      throw cannotRecover(
        control,
        "another version of seqqa executed the run, and this version cannot read its records",
        `Run \`seqqa clean\` with that version. If you must drop the schema ${OURS} instead, first save the tables ${OURS}.log and ${OURS}.kept, which contain the changed rows.`,
      );
    // Ask for writing sessions before this transaction writes. After a write, the function `busy` would also report this transaction.
    const [writing] = await control.rows(`select ${OURS}.busy()`);
    if (typeof writing?.[0] === "string") throw new Writing(writing[0]);
    const tables = await lockTables(control);
    if (lastLook !== undefined) await lookOnce(control, lastLook);
    const [owner] = await control.rows(`select sequences, counters, recorded, since_ms, recorded_ms from ${OURS}.owner`);
    const [sequences, counters, recorded, sinceMs, recordedMs] = owner as [string, string, string, string, string];
    const cached =
      typeof there[2] === "string" ? await control.rows(`select sequence::oid, last from ${CACHED} where last is not null`) : [];
    await control.rows("savepoint seqqa_undo");
    const rows = await undo(control, tables);
    if (dryRun) await control.rows("rollback to savepoint seqqa_undo");
    leftover = { ...leftover, ...rows, sinceMs: Number(sinceMs), recordedMs: Number(recordedMs) };
    if (dryRun) return leftover;
    await control.rows(`drop schema ${OURS} cascade`);
    // Call `onKept` only once: after all statements that may be executed again because the store is busy.
    if (leftover.keep.length > 0) onKept?.(leftover);
    // Restore sequences last, because a rollback would not undo their change.
    await control.rows(putCountersBack(JSON.parse(sequences) as string[], counters, recorded, cached as [string, string][]));
  } else if (!dryRun) {
    await control.rows(putNotedCounters);
    await control.rows(`drop schema if exists ${OURS} cascade`);
  }
  return leftover;
}

/** Calls `lastLook`. If a table or sequence was dropped, the undo log cannot be read as usual: its entries then stay in the log. */
async function lookOnce(control: Control, lastLook: () => Promise<void>): Promise<void> {
  await control.rows("savepoint seqqa_look");
  try {
    await lastLook();
  } catch (error) {
    if (!(error instanceof SeqqaError) || error.code !== "SCHEMA_CHANGED") throw error;
    await control.rows("rollback to savepoint seqqa_look");
  }
}

/** Throws if seqqa's schema belongs to another role, because this role cannot read the tables of the schema. */
async function requireOwned(control: Control): Promise<void> {
  const [row] = await control.rows(
    `select pg_get_userbyid(nspowner) from pg_namespace where nspname = '${OURS}' and not pg_has_role(nspowner, 'usage')`,
  );
  const role = row?.[0];
  if (typeof role === "string")
    throw cannotRecover(
      control,
      `the run connected as the role "${role}", and the role in the store's URL is not allowed to read what the run recorded`,
      `Put the role "${role}", or a superuser, into the store's URL, and run \`seqqa clean\` again.`,
    );
}

/**
 * Locks the tables, so that other sessions cannot write to them until the transaction ends. Returns the tables as they were when the store was
 * opened.
 */
async function lockTables(control: Control): Promise<readonly RecordedTable[]> {
  const [owner] = await control.rows(`select tables from ${OURS}.owner`);
  const tables = JSON.parse(owner?.[0] ?? "[]") as RecordedTable[];
  const names = await control.rows(`select oid::regclass from pg_class where relkind = 'r' and oid = any($1)`, [
    tables.map(([oid]) => oid),
  ]);
  if (names.length > 0) await control.rows(`lock table ${names.map(([name]) => `only ${name}`).join(", ")} in share row exclusive mode`);
  return tables;
}

async function undo(control: Control, recorded: readonly RecordedTable[]): Promise<Pick<Leftover, "undo" | "keep" | "unlogged">> {
  const { statements, rewritten, unlogged } = await recordedAlteration(control);
  const [kept, log] = [await sumsOf(control, "kept"), await sumsOf(control, "log")];
  if (kept.size + log.size === 0) return { undo: [], keep: [], unlogged };
  const present = new Map((await readCatalog(control.client)).tables.map((table) => [table.oid, table]));
  const tables = new Map<string, Table | string>();
  for (const [oid, layout] of recorded) tables.set(oid, presentTable(present.get(oid), readLayout(layout), rewritten.has(oid)));
  const fitting = [...tables.values()].filter((table) => typeof table !== "string");
  if (statements.length > 0 || fitting.some(({ added }) => added !== undefined)) await renewFunctions(control, fitting);
  const [wanted, keep]: [Change[], Change[]] = [[], []];
  const unread: RowImages[] = [];
  for (const [oid, layout] of recorded) {
    const [own, later] = [kept.get(oid) ?? new Map<string, number>(), log.get(oid) ?? new Map<string, number>()];
    if (own.size + later.size === 0) continue;
    const table = tables.get(oid)!;
    if (typeof table === "string") {
      unread.push(...recordedRows(readLayout(layout), present.get(oid), table, own, later));
      continue;
    }
    const changes = await changesOf(control, table, widened(table, own), widened(table, later));
    const valued = await withOwnValues(control, table, changes.undo);
    wanted.push(...changes.undo.filter((change) => !valued.has(change)));
    keep.push(...changes.keep, ...[...valued].map(([change, why]) => ({ ...change, why })));
  }
  const undone = new Set(wanted);
  keep.push(...(await undoRows(control, undone)));
  return { undo: [...undone].map(imagesOf), keep: [...keep.map(imagesOf), ...unread], unlogged };
}

interface Alteration {
  /** The schema changes that the run recorded. */
  readonly statements: readonly string[];
  /** The oids of the tables of which a statement changed rows without firing triggers. */
  readonly rewritten: ReadonlySet<string>;
  /** A statement that changed something other than rows of tables, which a restore cannot undo. */
  readonly unlogged: string | undefined;
}

/** Returns the schema changes since the run began: all statements, the tables whose rows were rewritten, and a change that was not logged. */
async function recordedAlteration(control: Control): Promise<Alteration> {
  const rows = await control.rows(`select o from ${OURS}.kept where rel = 0 union all select o from ${OURS}.log where rel = 0`);
  const statements = rows.map(([statement]) => statement ?? "");
  const rewritten = new Set<string>();
  for (const statement of statements) {
    const table = /^REWRITE by (?:[A-Z]+ )+(.+)$/.exec(statement)?.[1];
    if (table === undefined) continue;
    const [row] = await control.rows("select to_regclass($1)::oid", [table]);
    if (typeof row?.[0] === "string") rewritten.add(row[0]);
  }
  return { statements, rewritten, unlogged: statements.find((one) => /^(?:REFRESH|large object)/.test(one)) };
}

function imagesOf({ table, root, recorded, now, why }: Change): RowImages {
  return {
    table: table.name,
    key: shownKey(table, (root ?? recorded ?? now)!),
    root: rowImage(table, root),
    recorded: rowImage(table, recorded),
    now: rowImage(table, now),
    ...(why !== undefined && { why }),
  };
}

function cannotRecover({ store }: Control, why: string, hint: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `seqqa cannot restore the data that an earlier run changed in ${store.shown}: ${why}.`, {
    hint,
    exitStatus: 2,
  });
}
