import { OURS, type Table } from "../schema/catalog.ts";
import { judgedSql } from "../journal/ignored-values.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import { showsNames } from "../read/user-path.ts";

/** The SQLSTATE that functions raise if the undo log contains a schema change. */
export const DDL_STATE = "SQ001";
export const INCOHERENT_STATE = "SQ002";

export function putFunction(table: Table): string {
  return `${OURS}.put_${table.oid}`;
}

/**
 * Returns a CREATE FUNCTION statement for the function that restores the rows of one table. The function deletes rows before it inserts rows, so that
 * unique values do not collide. A row is given as text with all its columns. The function deletes a row only if all values are equal, so that
 * unlogged changes are never overwritten silently.
 */
export function createPutFunction(table: Table): string {
  const body = table.key.length > 0 ? keyedBody(table) : keylessBody(table);
  const returns = table.key.length > 0 ? "void" : "table(img text, place tid)";
  return `create function ${putFunction(table)}(p_del text[], p_ins text[], p_places tid[]) returns ${returns} language plpgsql${pathOf([table])} as ${quoteText(body)}`;
}

/**
 * Returns the search_path clause for a function that reads or writes these tables. The caller creates the function in the user's path, see {@link
 * USER_PATH}.
 */
export function pathOf(tables: readonly Table[]): string {
  return tables.some(showsNames) ? " set search_path = pg_catalog" : " set search_path from current";
}

function keyedBody(table: Table): string {
  const { sqlName, ignored } = table;
  if (ignored.length > 0) return partialBody(table);
  return `#variable_conflict use_variable
declare seqqa_n int; begin
  if p_del is not null then
    delete from only ${sqlName} as seqqa_t using (select x as img, x::${sqlName} as r from pg_catalog.unnest(p_del) x offset 0) seqqa_k
     where ${rowMatch(table)};
    get diagnostics seqqa_n = row_count;
    ${check(table, "seqqa_n <> pg_catalog.cardinality(p_del)")}
  end if;
  if p_ins is not null then ${insert(table)}; end if;
end`;
}

/**
 * Returns the function body for a table with ignored columns. If a row is deleted and inserted with the same key, the function updates the row
 * instead. The ignored columns of the row then keep their values, even if another session writes them at the same time. If unique values move between
 * rows, the function deletes the rows and inserts them with the previous values of their ignored columns.
 */
function partialBody(table: Table): string {
  const { sqlName, ignored, key } = table;
  const typed = (rows: string): string => `(select x as img, x::${sqlName} as r from pg_catalog.unnest(${rows}) x offset 0)`;
  const sameKey = key.map(({ name }) => `((g.r).${quoteName(name)})::text collate "C" = ((c.r).${quoteName(name)})::text collate "C"`);
  const without = (rows: string, others: string): string =>
    `${rows} := array(select x from pg_catalog.unnest(${rows}) x where x collate "C" <> all(${others}))`;
  const names = key.map(({ name }) => name);
  const set = storedColumns(table)
    .filter((name) => !names.includes(name) && !ignored.includes(name))
    .map((name) => `${quoteName(name)} = (seqqa_k.now).${quoteName(name)}`);
  const pairs = `(select o as img, o::${sqlName} as r, n::${sqlName} as now from unnest(seqqa_old, seqqa_new) u(o, n) offset 0) seqqa_k`;
  const kept = ignored.map((name, i) => `seqqa_t.${quoteName(name)} as seqqa_${i}`).join(", ");
  // If all columns are ignored or part of the key, two rows with the same key are equal, so there is nothing to update.
  const update =
    set.length === 0
      ? ""
      : `if seqqa_old is not null then
    begin
      update only ${sqlName} as seqqa_t set ${set.join(", ")} from ${pairs} where ${rowMatch(table)};
      get diagnostics seqqa_n = row_count;
    exception when unique_violation or exclusion_violation or generated_always then
      with seqqa_d as (delete from only ${sqlName} as seqqa_t using ${pairs} where ${rowMatch(table)} returning seqqa_k.now as r, ${kept})
      ${insertInto(table, "seqqa_d seqqa_k where (select count(*) from seqqa_d) >= 0", (name) => `seqqa_k.seqqa_${ignored.indexOf(name)}`)};
      get diagnostics seqqa_n = row_count;
    end;
    ${check(table, "seqqa_n <> pg_catalog.cardinality(seqqa_old)")}
  end if;`;
  return `#variable_conflict use_variable
declare seqqa_n int; seqqa_old text[]; seqqa_new text[]; begin
  select pg_catalog.array_agg(g.img), pg_catalog.array_agg(c.img) into seqqa_old, seqqa_new from ${typed("p_del")} g join ${typed("p_ins")} c on ${sameKey.join(" and ")};
  if seqqa_old is not null then
    ${without("p_del", "seqqa_old")};
    ${without("p_ins", "seqqa_new")};
  end if;
  if p_del is not null then
    delete from only ${sqlName} as seqqa_t using ${typed("p_del")} seqqa_k where ${rowMatch(table)};
    get diagnostics seqqa_n = row_count;
    ${check(table, "seqqa_n <> pg_catalog.cardinality(p_del)")}
  end if;
  ${update}
  if p_ins is not null then ${insert(table)}; end if;
end`;
}

/**
 * Returns the function body for a table without a key. The function searches first at the last known `ctid`s of the rows, then in the whole table.
 * Equal rows are interchangeable, so only their number counts.
 */
function keylessBody(table: Table): string {
  const { sqlName } = table;
  return `#variable_conflict use_variable
declare seqqa_d text; seqqa_c tid; seqqa_left text[]; seqqa_n int; begin
  foreach seqqa_d in array coalesce(p_del, '{}') loop
    seqqa_c := null;
    if p_places is not null then
      select seqqa_t.ctid into seqqa_c from only ${sqlName} as seqqa_t
       where seqqa_t.ctid = any(p_places) and ${asText("seqqa_t")} = seqqa_d collate "C" limit 1;
    end if;
    if seqqa_c is null then seqqa_left := pg_catalog.array_append(seqqa_left, seqqa_d);
    else delete from only ${sqlName} as seqqa_t where seqqa_t.ctid = seqqa_c; end if;
  end loop;
  if seqqa_left is not null then
    delete from only ${sqlName} where ctid in (
      select f.place from (
        select seqqa_t.ctid as place, ${asText("seqqa_t")} as img, row_number() over (partition by ${asText("seqqa_t")} collate "C") as nth
          from only ${sqlName} as seqqa_t where ${asText("seqqa_t")} = any(seqqa_left)) f
       join (select l.img, count(*) as n from pg_catalog.unnest(seqqa_left) l(img) group by l.img) w on w.img = f.img collate "C" and f.nth <= w.n);
    get diagnostics seqqa_n = row_count;
    ${check(table, "seqqa_n <> pg_catalog.cardinality(seqqa_left)")}
  end if;
  if p_ins is not null then
    return query ${insert(table)} returning ${asText("seqqa_t")}, seqqa_t.ctid;
  end if;
end`;
}

/** Returns an SQL condition that finds a given row in a table with a key. All columns must be equal, except ignored columns. */
export function rowMatch(table: Table): string {
  const same =
    table.ignored.length === 0
      ? `${asText("seqqa_t")} = seqqa_k.img collate "C"`
      : `${judgedSql(table, "seqqa_t")} = ${judgedSql(table, "(seqqa_k.r)")}`;
  return `${keyMatch(table)} and ${same}`;
}

/**
 * Returns a CREATE FUNCTION statement for the function that removes ignored columns from a row. Returns no statement if no table has ignored columns.
 */
export function judgedFunction(tables: readonly Table[]): string[] {
  const partial = tables.filter(({ ignored }) => ignored.length > 0);
  if (partial.length === 0) return [];
  const cases = partial.map(
    (table) => `when ${table.oid} then return (select ${judgedSql(table, "(x.r)")} from (select p_img::${table.sqlName} as r offset 0) x);`,
  );
  return [
    `create function ${OURS}.judged(p_rel oid, p_img text) returns text language plpgsql${pathOf(partial)} as ${quoteText(`begin
  case p_rel ${cases.join(" ")} else return p_img; end case;
end`)}`,
  ];
}

export function judgedImage(tables: readonly Table[]): string {
  return tables.some(({ ignored }) => ignored.length > 0) ? `${OURS}.judged(e.rel, e.img)` : "e.img";
}

/** Returns an SQL condition that is true if log entries change rows and do not cancel each other out. `image`: SQL for a row as text. */
export function changesRows(log: string, image: string, which = "true"): string {
  return `exists (
        select from (select l.rel, l.o, -1 from ${log} l where ${which} and l.o is not null
                     union all select l.rel, l.n, 1 from ${log} l where ${which} and l.n is not null) e(rel, img, w)
         group by e.rel, ${image} having sum(e.w) <> 0)`;
}

/** Returns an SQL condition that is true if the table row `seqqa_t` has the same key as the given row `seqqa_k.r`. */
export function keyMatch({ key }: Table): string {
  return key.map(({ name, operator }) => `seqqa_t.${quoteName(name)} ${operator} (seqqa_k.r).${quoteName(name)}`).join(" and ");
}

/** Returns an SQL expression for a whole row as text. The expression needs `.*`, because the alias alone could be the name of a column. */
export function asText(alias: string): string {
  return `(${alias}.*)::text`;
}

export function storedColumns({ columns }: Table): string[] {
  return columns.filter(({ generated }) => !generated).map(({ name }) => name);
}

/**
 * Returns an INSERT statement. `source`: a query for the rows, as column `r` of the alias `seqqa_k`. `ignoredValue`: returns SQL for the value of an
 * ignored column. Default: the value of the column in the row.
 */
export function insertInto(table: Table, source: string, ignoredValue?: (name: string) => string): string {
  // Without a value, a column that was added after the run had begun gets its default.
  const names = storedColumns(table).filter((name) => ignoredValue !== undefined || table.added?.includes(name) !== true);
  const stored = names.map(quoteName);
  const values = names
    .map((name) => (ignoredValue !== undefined && table.ignored.includes(name) ? ignoredValue(name) : `(seqqa_k.r).${quoteName(name)}`))
    .join(", ");
  const into = `insert into ${table.sqlName} as seqqa_t`;
  return stored.length === 0
    ? // A table without columns must have no column list.
      `${into} select from ${source}`
    : `${into} (${stored.join(", ")}) overriding system value select ${values} from ${source}`;
}

function insert(table: Table): string {
  return insertInto(table, `(select x::${table.sqlName} as r from pg_catalog.unnest(p_ins) x offset 0) seqqa_k`);
}

function check(table: Table, wrong: string): string {
  return `if ${wrong} then raise exception using errcode = '${INCOHERENT_STATE}', message = ${quoteText(`a row of ${table.fullName} to be deleted does not exist`)}; end if;`;
}
