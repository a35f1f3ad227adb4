import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { condition, fieldsOf, literal } from "../journal/columns.ts";
import { judgedImage, judgedImageSql } from "../journal/ignored-values.ts";
import { keyOf } from "../read/shown-row.ts";
import { quoteName } from "../connect/sql-text.ts";

/** The maximum number of rows in one SQL statement. Long statements are slow to parse, and the server limits the length of a packet. */
const AT_ONCE = 500;
const LONGEST = 500_000;

/** The number of the server's error "BIGINT value is out of range", with which the statement of {@link requireSame} fails. */
export const WRONG_COUNT = 1690;

/**
 * Returns an SQL statement that fails if the value of the SQL expression `counted` differs from `count`. The batch then ends before its COMMIT. The
 * statement uses SET, because DO never fails on MariaDB.
 */
export function requireSame(counted: string, count: number): string {
  return `set @seqqa_n = 9223372036854775807 + (${counted} <> ${count})`;
}

/**
 * Returns SQL statements that make these row changes. Deletions come before insertions, so that unique values do not collide. A row is deleted only
 * if it has exactly the given values, so that unlogged changes are never overwritten silently. Ignored columns of an existing row keep their values.
 */
export function putBackStatements(tables: readonly Table[], changes: RowSums): string[] {
  const [reads, deletes, inserts]: [string[], string[], string[]] = [[], [], []];
  let count = 0;
  for (let i = 0; i < tables.length; i++) {
    let gone: (readonly [string, number])[] = [];
    let come: string[] = [];
    for (const [row, by] of changes.of(i)) {
      if (by < 0) gone.push([row, -by]);
      else for (let n = by; n > 0; n--) come.push(row);
      if (by < 0) count -= by;
    }
    if (tables[i]!.ignored.length > 0) ({ gone, come } = updateRows(tables[i]!, { gone, come }, { reads, deletes, inserts }));
    if (gone.length > 0) deletes.push(...deleteRows(tables[i]!, gone));
    if (come.length > 0) inserts.push(...insertRows(tables[i]!, come));
  }
  if (deletes.length === 0) return inserts;
  const counted = deletes.flatMap((sql, i) => {
    const gone = i === 0 ? "row_count()" : "@seqqa_n + row_count()";
    return [sql, i === deletes.length - 1 ? requireSame(gone, count) : `set @seqqa_n = ${gone}`];
  });
  return [...reads, ...counted, ...inserts];
}

interface Rows {
  readonly gone: (readonly [string, number])[];
  readonly come: string[];
}

interface Statements {
  /** SQL statements that must be executed before any row is changed. */
  readonly reads: string[];
  /** DELETE and UPDATE statements. The number of rows that these statements affect is checked. */
  readonly deletes: string[];
  readonly inserts: string[];
}

/**
 * Turns a deletion and an insertion with the same key into one UPDATE. Returns the deletions and insertions that do not form such a pair. If a unique
 * value changes, the row is still deleted and inserted, because another row may have the wanted value now. The values of its ignored columns are read
 * before the deletion.
 */
function updateRows(table: Table, rows: Rows, { reads, deletes, inserts }: Statements): Rows {
  const { columns, key, ignored, constrained, sqlName } = table;
  const coming = new Map(rows.come.map((row) => [keyOf(table, row), row]));
  const gone: Rows["gone"] = [];
  const name = (at: number): string => quoteName(columns[at]!.name);
  for (const one of rows.gone) {
    const [row] = one;
    const wanted = coming.get(keyOf(table, row));
    if (wanted === undefined) {
      gone.push(one);
      continue;
    }
    coming.delete(keyOf(table, row));
    const [before, after] = [fieldsOf(row), fieldsOf(wanted)];
    const which = [
      ...key.map((at) => condition(columns[at]!, before[at]!)),
      `${judgedImageSql(table)} = '${judgedImage(table, row)}'`,
    ].join(" and ");
    if (constrained.some((at) => !ignored.includes(at) && before[at] !== after[at])) {
      const variable = (at: number): string => `@seqqa_${reads.length}_${at}`;
      const values = columns.map((column, at) => (ignored.includes(at) ? variable(at) : literal(column, after[at]!)));
      inserts.push(`insert into ${sqlName}(${columns.map((_, at) => name(at)).join(",")}) values (${values.join(",")})`);
      reads.push(`select ${ignored.map(name).join(",")} into ${ignored.map(variable).join(",")} from ${sqlName} where ${which} for update`);
      deletes.push(`delete from ${sqlName} where ${which}`);
    } else {
      // Set all columns explicitly, so that ON UPDATE CURRENT_TIMESTAMP does not change a column.
      const set = columns.map((column, at) => `${name(at)} = ${ignored.includes(at) ? name(at) : literal(column, after[at]!)}`);
      deletes.push(`update ${sqlName} set ${set.join(",")} where ${which}`);
    }
  }
  return { gone, come: [...coming.values()] };
}

function deleteRows(table: Table, rows: readonly (readonly [string, number])[]): string[] {
  const image = judgedImageSql(table);
  if (table.key.length === 0 || rows.some(([, times]) => times > 1)) {
    return rows.map(([row, times]) => {
      const fields = fieldsOf(row);
      const likely = table.columns
        .filter(({ kind }) => kind === "integer")
        .map((column) => condition(column, fields[table.columns.indexOf(column)]!));
      return `delete from ${table.sqlName} where ${[...likely, `${image} = '${judgedImage(table, row)}'`].join(" and ")} limit ${times}`;
    });
  }
  const [first, ...others] = table.key;
  return parts(rows.map(([row]) => row)).map((part) => {
    const keys = part.map((row) => {
      const fields = fieldsOf(row);
      const values = table.key.map((at) => literal(table.columns[at]!, fields[at]!));
      return others.length === 0
        ? values[0]!
        : `(${table.key.map((at, i) => `${quoteName(table.columns[at]!.name)} = ${values[i]!}`).join(" and ")})`;
    });
    const match = others.length === 0 ? `${quoteName(table.columns[first!]!.name)} in (${keys.join(",")})` : `(${keys.join(" or ")})`;
    return `delete from ${table.sqlName} where ${match} and ${image} in (${part.map((row) => `'${judgedImage(table, row)}'`).join(",")})`;
  });
}

function insertRows(table: Table, rows: readonly string[]): string[] {
  const names = table.columns.map(({ name }) => quoteName(name)).join(",");
  return parts(rows).map((part) => {
    const values = part.map((row) => {
      const fields = fieldsOf(row);
      return `(${table.columns.map((column, i) => (table.added?.includes(i) === true ? "DEFAULT" : literal(column, fields[i]!))).join(",")})`;
    });
    return `insert into ${table.sqlName}(${names}) values ${values.join(",")}`;
  });
}

function parts(rows: readonly string[]): string[][] {
  const all: string[][] = [];
  let length = 0;
  for (const row of rows) {
    const last = all[all.length - 1];
    if (last === undefined || last.length >= AT_ONCE || length + row.length > LONGEST) {
      all.push([row]);
      length = row.length;
    } else {
      last.push(row);
      length += row.length;
    }
  }
  return all;
}

export function batches(statements: readonly string[], longest: number = 4 * LONGEST): string[][] {
  const all: string[][] = [[]];
  let length = 0;
  for (const sql of statements) {
    if (length > 0 && length + sql.length > longest) {
      all.push([]);
      length = 0;
    }
    all[all.length - 1]!.push(sql);
    length += sql.length;
  }
  return all;
}
