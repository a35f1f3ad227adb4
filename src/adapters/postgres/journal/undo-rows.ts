import { OURS, type Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { codeOf } from "../connect/failures.ts";
import type { Change } from "./kept-rows.ts";
import { FOREIGN_KEYS } from "../put-back/owner-put-sql.ts";
import { putFunction } from "../put-back/put-back-sql.ts";
import { ancestorsOf, foreignKeysOf, lateUniquesOf, type ForeignKey, type LateUnique } from "../put-back/row-constraints.ts";
import { refusedRow } from "../../../stores/external/external-store.ts";
import { quoteName } from "../connect/sql-text.ts";
import { inUserPath } from "../read/user-path.ts";

/**
 * Restores rows to the root state. Skips a row if restoring it would violate a constraint, because of rows that are not restored. Removes skipped
 * rows from `changes` and returns them. Restored rows never conflict with each other, because they existed together in the root state.
 */
export async function undoRows(control: Control, changes: Set<Change>): Promise<Change[]> {
  if (changes.size === 0) return [];
  if (control.rights.replica) return settle(control, changes, await limitsOf(control, changes));
  const limits = await limitsOf(control, changes);
  const later = await laterKeys(control, limits.keys);
  if (later.length === 0 && (await refusal(control, PUT_ROWS, columnsOf(changes))) === undefined) return [];
  // Without replica role, drop the foreign keys, so that every row can be written, and find the rows to skip. Then roll all of this back.
  await control.rows("savepoint seqqa_probe");
  await control.rows(`select ${OURS}.quiet($1, false)`, [[...new Set([...changes].map(({ table }) => table.oid))]]);
  for (const { drop } of limits.keys) await control.rows(drop);
  await control.rows("set constraints all immediate");
  const kept = await settle(control, changes, limits);
  await control.rows("rollback to savepoint seqqa_probe");
  for (const { drop } of later) await control.rows(drop);
  if (changes.size > 0) await control.rows(PUT_ROWS, columnsOf(changes));
  for (const { add } of later) await control.rows(add);
  return kept;
}

/** Returns the foreign keys that were created after the run had begun. Such a key would cascade to rows of other clients while rows are restored. */
async function laterKeys(control: Control, keys: readonly ForeignKey[]): Promise<ForeignKey[]> {
  const [there] = await control.rows(`select to_regclass('${FOREIGN_KEYS}')`);
  if (typeof there?.[0] !== "string") return [];
  const known = new Set((await control.rows(`select oid from ${FOREIGN_KEYS}`)).map(([oid]) => oid));
  return keys.filter(({ oid }) => !known.has(oid));
}

const PUT_ROWS = `select from ${OURS}.put_rows($1, $2, $3, null, null)`;

function columnsOf(changes: ReadonlySet<Change>): [rel: string[], img: string[], w: number[]] {
  const columns: [string[], string[], number[]] = [[], [], []];
  const add = (oid: string, image: string | null, w: number): void => {
    if (image !== null) [oid, image, w].forEach((value, i) => (columns[i] as unknown[]).push(value));
  };
  for (const { table, now, root } of changes) {
    add(table.oid, now, -1);
    add(table.oid, root, 1);
  }
  return columns;
}

interface Limits {
  readonly ancestors: ReadonlyMap<string, ReadonlySet<string>>;
  readonly keys: readonly ForeignKey[];
  readonly uniques: readonly LateUnique[];
}

async function limitsOf(control: Control, changes: ReadonlySet<Change>): Promise<Limits> {
  const oids = [...new Set([...changes].map(({ table }) => table.oid))];
  const ancestors = await ancestorsOf(control, oids);
  const keys = await foreignKeysOf(control, [...new Set([...ancestors.values()].flatMap((all) => [...all]))]);
  return { ancestors, keys, uniques: await lateUniquesOf(control, oids) };
}

/** Restores rows while foreign keys are not checked. Returns the rows that must be skipped, because restoring them would violate a constraint. */
async function settle(control: Control, changes: Set<Change>, { ancestors, keys, uniques }: Limits): Promise<Change[]> {
  const kept: Change[] = [];
  const refused = new Map<Change, string>();
  const isOf = ({ table }: Change, oid: string): boolean => ancestors.get(table.oid)!.has(oid);
  const orphans = (key: ForeignKey, extra = ""): Promise<Change[]> =>
    where(
      control,
      filter(changes, (one) => one.root !== null && isOf(one, key.child)),
      "root",
      `${orphaned(key)}${extra}`,
    );
  // If a child row with the same missing parent exists before the restore, the missing parent is no reason to skip a row.
  const before = new Map<ForeignKey, ReadonlySet<Change>>();
  for (const key of keys) before.set(key, new Set(await orphans(key, ` and ${hasSibling(key)}`)));
  // Do each check only if the previous checks found nothing, because a row that an earlier check found may cause the finding of a later check.
  const obstacles = [
    () => write(control, changes, refused),
    ...uniques.map(
      (one) => () =>
        where(
          control,
          filter(changes, ({ table, root }) => root !== null && table.oid === one.table),
          "root",
          isTwice(one),
        ),
    ),
    ...keys.map(
      (key) => () =>
        where(
          control,
          filter(changes, (one) => one.now !== null && isOf(one, key.parent)),
          "now",
          isMissed(key),
        ),
    ),
    ...keys.map((key) => async () => (await orphans(key)).filter((change) => !before.get(key)!.has(change))),
  ];
  for (;;) {
    await control.rows("savepoint seqqa_rows");
    let inTheWay: readonly Change[] = [];
    for (const find of obstacles) if (inTheWay.length === 0) inTheWay = await find();
    if (inTheWay.length === 0) {
      await control.rows("release savepoint seqqa_rows");
      return kept;
    }
    await control.rows("rollback to savepoint seqqa_rows");
    await control.rows("release savepoint seqqa_rows");
    for (const change of inTheWay) {
      const why = refused.get(change);
      changes.delete(change);
      kept.push(why === undefined ? change : { ...change, why });
    }
  }
}

/**
 * Writes all rows. In each table, deletes rows before it inserts rows. Returns the rows that the server refused, and puts the reasons into `refused`.
 */
async function write(control: Control, changes: ReadonlySet<Change>, refused: Map<Change, string>): Promise<Change[]> {
  const failed: Change[] = [];
  for (const [table, own] of byTable(changes)) {
    const put = `select from ${putFunction(table)}($1, $2, null)`;
    const coming = own.filter(({ root }) => root !== null);
    const gone = own.flatMap(({ now }) => (now === null ? [] : [now]));
    const goes = gone.length > 0 ? gone : null;
    if ((await refusal(control, put, [goes, coming.length > 0 ? coming.map(({ root }) => root) : null])) === undefined) continue;
    if (goes !== null) await control.rows(put, [goes, null]);
    for (const change of coming) {
      const message = await refusal(control, put, [null, [change.root]]);
      if (message === undefined) continue;
      failed.push(change);
      refused.set(change, refusedRow(message));
    }
  }
  return failed;
}

/** Executes a statement. If a constraint or a function of the user refuses the statement, changes nothing and returns the server's message. */
async function refusal(control: Control, text: string, values: readonly unknown[]): Promise<string | undefined> {
  await control.rows("savepoint seqqa_fits");
  try {
    await control.rows(text, values);
    await control.rows("release savepoint seqqa_fits");
    return undefined;
  } catch (error) {
    if (!/^(?:22|23|42|P0)/.test(codeOf(error))) throw error;
    await control.rows("rollback to savepoint seqqa_fits");
    await control.rows("release savepoint seqqa_fits");
    return (error as Error).message;
  }
}

async function where(control: Control, changes: readonly Change[], image: "root" | "now", condition: string): Promise<Change[]> {
  const found: Change[] = [];
  for (const [table, own] of byTable(changes)) {
    const query = `select x.i from (select u.img::${table.sqlName} as r, u.i from pg_catalog.unnest($1::text[]) with ordinality u(img, i) offset 0) x where ${condition}`;
    const rows = await inUserPath(
      (sql) => control.rows(sql),
      table,
      () => control.rows(query, [own.map((one) => one[image])]),
    );
    for (const [i] of rows) found.push(own[Number(i) - 1]!);
  }
  return found;
}

function byTable(changes: Iterable<Change>): Map<Table, Change[]> {
  const tables = new Map<Table, Change[]>();
  for (const change of changes) {
    const own = tables.get(change.table);
    if (own === undefined) tables.set(change.table, [change]);
    else own.push(change);
  }
  return tables;
}

function filter(changes: ReadonlySet<Change>, wanted: (change: Change) => boolean): Change[] {
  return [...changes].filter(wanted);
}

/** Returns an SQL condition that is true for a child row whose parent row does not exist. */
function orphaned({ parentName, columns }: ForeignKey): string {
  const present = columns.map(({ from }) => `(x.r).${quoteName(from)} is not null`);
  const match = columns.map(({ from, to, parentIsChild }) => `p.${quoteName(to)} ${parentIsChild} (x.r).${quoteName(from)}`);
  return `${present.join(" and ")} and not exists (select from ${parentName} p where ${match.join(" and ")})`;
}

/** Returns an SQL condition that is true if the table contains a child row with the same foreign key values. */
function hasSibling({ childName, columns }: ForeignKey): string {
  const match = columns.map(({ from, childIsChild }) => `c.${quoteName(from)} ${childIsChild} (x.r).${quoteName(from)}`);
  return `exists (select from ${childName} c where ${match.join(" and ")})`;
}

/** Returns an SQL condition that is true for a parent row that does not exist although a child row refers to it. */
function isMissed({ parentName, childName, columns }: ForeignKey): string {
  const child = columns.map(({ from, to, parentIsChild }) => `(x.r).${quoteName(to)} ${parentIsChild} c.${quoteName(from)}`);
  const parent = columns.map(({ to, parentIsParent }) => `p.${quoteName(to)} ${parentIsParent} (x.r).${quoteName(to)}`);
  return `exists (select from ${childName} c where ${child.join(" and ")}) and not exists (select from ${parentName} p where ${parent.join(" and ")})`;
}

function isTwice({ tableName, columns }: LateUnique): string {
  const match = columns.map(({ name, operator }) => `t.${quoteName(name)} ${operator} (x.r).${quoteName(name)}`);
  return `(select count(*) from ${tableName} t where ${match.join(" and ")}) > 1`;
}
