import { OURS, type Table } from "../schema/catalog.ts";
import type { Child, OwnerFacts } from "./owner-facts.ts";
import { asText, DDL_STATE, INCOHERENT_STATE, insertInto, keyMatch, pathOf, rowMatch, storedColumns } from "./put-back-sql.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";

export const PART: string = `${OURS}.part`;
/**
 * A table with the oids of all foreign keys at the time when the functions were created. The functions cannot prevent cascades of later foreign keys.
 */
export const FOREIGN_KEYS: string = `${OURS}.foreign_keys`;
/** The name of the triggers that skip cascades. PostgreSQL fires triggers in the order of their names, and this name sorts before all other names. */
const SKIP = '"!seqqa_skip"';

/**
 * Returns the SQL statements that create the functions for restoring rows without replica role. The functions run with the rights of the tables'
 * owner.
 *
 * One statement changes all rows of a restore. PostgreSQL checks foreign keys at the end of the statement, when all rows are restored, so cycles of
 * foreign keys are possible. A changed row is deleted and inserted again, which would cascade to its child rows. The statements of a cascade run
 * inside a trigger, so a trigger before each row recognizes and skips these statements. PostgreSQL checks RESTRICT immediately, so the parent rows of
 * foreign keys with RESTRICT are updated instead of deleted and inserted. If the statement fails, for example because unique values move between
 * rows, {@link putApart} is used.
 */
export function ownerStatements(
  tables: readonly Table[],
  facts: ReadonlyMap<string, OwnerFacts>,
  controlSwitch: string,
): readonly string[] {
  return [
    `create table ${PART}(rel oid primary key, keyless boolean, quiet text, loud text, also oid[], find text, steps text, result text, children text[], gone text, come text, came text, merged text)`,
    `create table ${FOREIGN_KEYS} as select oid from pg_constraint where contype = 'f'`,
    `create function ${OURS}.skip() returns trigger language plpgsql as ${quoteText("begin return null; end")}`,
    ...tables
      .filter(({ oid }) => facts.get(oid)?.isCascaded === true)
      .map(
        ({ sqlName }) =>
          `create trigger ${SKIP} before update or delete on ${sqlName} for each row
             when (pg_catalog.current_setting('${controlSwitch}', true) is not null and pg_catalog.pg_trigger_depth() > 0) execute function ${OURS}.skip()`,
      ),
    ...partStatements(tables, facts),
    // The function `quiet` disables or enables the user's triggers and rules. A restore also calls `quiet` to find out which rows can be restored.
    `create function ${OURS}.quiet(p_tables oid[], p_loud boolean) returns void language plpgsql as ${quoteText(`
declare v_text text; begin
  for v_text in select case when p_loud then p.loud else p.quiet end from ${PART} p
                 where p.quiet is not null and p.rel in (select pg_catalog.unnest(p_tables) union select pg_catalog.unnest(q.also) from ${PART} q where q.rel = any(p_tables))
                 order by p.rel loop
    execute v_text;
  end loop;
end`)}`,
    putApart(pathOf(tables)),
    putRows(pathOf(tables)),
  ];
}

/**
 * Returns the SQL statements that create the functions and the rows of {@link PART} for these tables. Functions and rows of an earlier call are
 * replaced.
 */
export function partStatements(tables: readonly Table[], facts: ReadonlyMap<string, OwnerFacts>): readonly string[] {
  const known = new Map(tables.map((table) => [table.oid, table]));
  return [
    `delete from ${PART}`,
    ...tables.map(findFunction),
    // Insert one row of data for each table. Partitioned tables are included, because a cascade may name them and fire their triggers.
    ...[...facts.values()].map((one) => {
      const table = known.get(one.oid);
      const values =
        table === undefined
          ? Array.from({ length: 8 }, () => "null")
          : [
              quoteText(`select ${OURS}.find_${one.oid}($1, $2)`),
              quoteText(stepsOf(table, one)),
              quoteText(resultOf(table, one)),
              `array[${one.children.map((child) => quoteText(childrenOf(table, child))).join(", ")}]::text[]`,
              quoteText(`d_${one.oid} as (${deleteAtPlaces(table)})`),
              quoteText(`i_${one.oid} as (${insertInto(table, `${rowsOfTable(table, ">")} seqqa_k`)} ${returned(table)})`),
              quoteText(`${placesOf(table)}select ${one.oid}::oid, null::text, null::tid, (select count(*) from i_${one.oid})::int`),
              table.ignored.length === 0 ? "null" : quoteText(mergedOf(table)),
            ];
      const text = (value: string | undefined): string => (value === undefined ? "null" : quoteText(value));
      return `insert into ${PART} values(${one.oid}, ${table !== undefined && table.key.length === 0}, ${text(one.quiet)}, ${text(one.loud)}, '{${one.cascadesTo.join(",")}}', ${values.join(", ")})`;
    }),
  ];
}

/**
 * Returns a CREATE FUNCTION statement for the function that finds rows without a key. The function searches first at the last known `ctid`s of the
 * rows, then in the whole table. Equal rows are interchangeable, so only their number counts.
 */
function findFunction(table: Table): string {
  const { oid, sqlName } = table;
  const row = asText("seqqa_t");
  if (table.key.length > 0) {
    return `create or replace function ${OURS}.find_${oid}(p_del text[], p_places tid[]) returns tid[] language plpgsql as ${quoteText(`#variable_conflict use_variable
begin
  return array(select seqqa_t.ctid from only ${sqlName} as seqqa_t, (select x as img, x::${sqlName} as r from pg_catalog.unnest(p_del) x offset 0) seqqa_k
                where ${rowMatch(table)});
end`)}`;
  }
  return `create or replace function ${OURS}.find_${oid}(p_del text[], p_places tid[]) returns tid[] language plpgsql as ${quoteText(`#variable_conflict use_variable
declare seqqa_d text; seqqa_c tid; seqqa_left text[]; seqqa_all tid[] := '{}'; begin
  foreach seqqa_d in array p_del loop
    seqqa_c := null;
    if p_places is not null then
      select seqqa_t.ctid into seqqa_c from only ${sqlName} as seqqa_t
       where seqqa_t.ctid = any(p_places) and seqqa_t.ctid <> all(seqqa_all) and ${row} = seqqa_d collate "C" limit 1;
    end if;
    if seqqa_c is null then seqqa_left := pg_catalog.array_append(seqqa_left, seqqa_d);
    else seqqa_all := pg_catalog.array_append(seqqa_all, seqqa_c); end if;
  end loop;
  if seqqa_left is null then return seqqa_all; end if;
  return seqqa_all || array(
    select f.place from (
      select seqqa_t.ctid as place, ${row} as img, row_number() over (partition by ${row} collate "C") as nth
        from only ${sqlName} as seqqa_t where ${row} = any(seqqa_left) and seqqa_t.ctid <> all(seqqa_all)) f
     join (select l.img, count(*) as n from pg_catalog.unnest(seqqa_left) l(img) group by l.img) w on w.img = f.img collate "C" and f.nth <= w.n);
end`)}`;
}

/** Returns the parts of the SQL statement that change one table. Parameters: $1 to $3 are the rows, $4 and $5 the `ctid`s of rows without a key. */
function stepsOf(table: Table, facts: OwnerFacts): string {
  const { oid, sqlName } = table;
  const rows = (sign: "<" | ">"): string => rowsOfTable(table, sign);
  const pairing = pairingOf(table, facts);
  if (pairing === undefined) {
    const gone = table.key.length === 0 ? deleteAtPlaces(table) : deleteFrom(table, rows("<"));
    return `d_${oid} as (${gone}), i_${oid} as (${insertInto(table, `${rows(">")} seqqa_k where (select count(*) from d_${oid}) >= 0`)} ${returned(table)})`;
  }
  const { match, set } = pairing;
  const lonely = (mine: "g" | "c", other: "g" | "c"): string =>
    `(select ${mine}.img, ${mine}.r from ${mine}_${oid} ${mine} where not exists (select from ${other}_${oid} ${other} where ${match}) offset 0)`;
  return [
    `g_${oid} as materialized ${rows("<")}`,
    `c_${oid} as materialized ${rows(">")}`,
    `d_${oid} as (${deleteFrom(table, lonely("g", "c"))})`,
    `u_${oid} as (update only ${sqlName} as seqqa_t set ${set}
       from (select g.img, g.r, c.r as now from g_${oid} g join c_${oid} c on ${match} where (select count(*) from d_${oid}) >= 0 offset 0) seqqa_k
      where ${rowMatch(table)} returning 1)`,
    `i_${oid} as (${insertInto(table, `${lonely("c", "g")} seqqa_k where (select count(*) from u_${oid}) >= 0`)} ${returned(table)})`,
  ].join(", ");
}

function rowsOfTable({ oid, sqlName }: Table, sign: "<" | ">"): string {
  return `(select x.img, x.img::${sqlName} as r from unnest($1::oid[], $2::text[], $3::int[]) x(rel, img, w) where x.rel = ${oid} and x.w ${sign} 0 offset 0)`;
}

function deleteAtPlaces({ oid, sqlName }: Table): string {
  const places = `select x.place from unnest($4::oid[], $5::tid[]) x(rel, place) where x.rel = ${oid}`;
  return `delete from only ${sqlName} as seqqa_t where seqqa_t.ctid = any(array(${places})) returning 1`;
}

/** Returns a query for the child rows that refer to the rows in the parameter $1. */
function childrenOf({ sqlName }: Table, child: Child): string {
  return `select ${child.oid}::oid, seqqa_c.ctid, ${asText("seqqa_c")} from only ${child.sqlName} as seqqa_c,
    (select x.img::${sqlName} as r from pg_catalog.unnest($1::text[]) x(img) offset 0) seqqa_p where ${child.match}`;
}

/**
 * Returns a query for all row texts in the parameter $2. If an existing row has the same key as an inserted row, the inserted row gets the ignored
 * columns of the existing row. The parameter $4 has the `ctid`s of existing rows.
 */
function mergedOf(table: Table): string {
  const { oid, sqlName, columns, ignored } = table;
  const values = columns.map(({ name }) => `${ignored.includes(name) ? "seqqa_t" : "(seqqa_k.r)"}.${quoteName(name)}`);
  return `select pg_catalog.array_agg(coalesce(m.img, u.img) order by u.i) from unnest($1::oid[], $2::text[], $3::int[]) with ordinality u(rel, img, w, i)
    left join lateral (select (row(${values.join(", ")})::${sqlName})::text as img from only ${sqlName} as seqqa_t,
      (select case when u.rel = ${oid} and u.w > 0 then u.img::${sqlName} end as r offset 0) seqqa_k
      where seqqa_t.ctid = any($4::tid[]) and ${keyMatch(table)}) m on true`;
}

/** Returns a query for the `ctid`s of the inserted rows of a table without a key. */
function placesOf({ oid, key }: Table): string {
  return key.length > 0 ? "" : `select ${oid}::oid, i.img, i.place, 0 from i_${oid} i union all `;
}

function deleteFrom(table: Table, rows: string): string {
  return `delete from only ${table.sqlName} as seqqa_t using ${rows} seqqa_k where ${rowMatch(table)} returning 1`;
}

function returned({ key }: Table): string {
  return key.length > 0 ? "returning 1" : `returning ${asText("seqqa_t")} as img, seqqa_t.ctid as place`;
}

/**
 * Returns how a deleted row (`g`) and an inserted row (`c`) become one UPDATE: the condition that the two rows match, and the columns that the UPDATE
 * sets. Needed for tables with ignored columns, and for tables to which a foreign key with RESTRICT refers. Returns `undefined` for other tables, and
 * for tables without a key.
 */
function pairingOf(table: Table, { restricted, fixed }: OwnerFacts): { readonly match: string; readonly set: string } | undefined {
  const columns = restricted ?? (table.ignored.length > 0 ? table.key.map(({ name }) => name) : undefined);
  if (columns === undefined || table.key.length === 0) return undefined;
  const same = [...new Set([...columns, ...fixed])];
  const set = storedColumns(table).filter((name) => !same.includes(name) && !table.ignored.includes(name));
  if (set.length === 0) return undefined;
  const match = [
    ...same.map((name) => `((g.r).${quoteName(name)})::text collate "C" = ((c.r).${quoteName(name)})::text collate "C"`),
    ...columns.map((name) => `(g.r).${quoteName(name)} is not null`),
  ].join(" and ");
  return { match, set: set.map((name) => `${quoteName(name)} = (seqqa_k.now).${quoteName(name)}`).join(", ") };
}

/**
 * Returns a query for the result of a restore: the `ctid`s of inserted rows without a key, then the number of changed rows. If a row to delete does
 * not exist, the result also contains the name of the table.
 */
function resultOf(table: Table, facts: OwnerFacts): string {
  const { oid, fullName, key } = table;
  const wanted = (sign: "<" | ">"): string =>
    `(select count(*) from unnest($1::oid[], $3::int[]) x(rel, w) where x.rel = ${oid} and x.w ${sign} 0)`;
  const updated = pairingOf(table, facts) === undefined ? "" : ` + 2 * (select count(*) from u_${oid})`;
  const done = `(select count(*) from d_${oid}) + (select count(*) from i_${oid})${updated}`;
  const placed = key.length > 0 ? "" : `select ${oid}::oid, i.img, i.place, 0, null::text from i_${oid} i union all `;
  return `${placed}select ${oid}::oid, null::text, null::tid, (${done})::int, case when ${done} <> ${wanted("<")} + ${wanted(">")} then ${quoteText(fullName)} end`;
}

/**
 * Returns a CREATE FUNCTION statement for the function `put_apart`, which restores rows like {@link putRows}, but with two statements. The first
 * statement deletes the given rows and all rows that refer to them, directly or indirectly. The second statement inserts the new rows, and again the
 * rows that were deleted only because they refer to given rows.
 */
const putApart = (
  path: string,
): string => `create function ${OURS}.put_apart(p_rel oid[], p_img text[], p_w int[], p_place_rel oid[], p_place tid[])
  returns table(rel oid, img text, place tid, n int) language plpgsql${path} as ${quoteText(`
#variable_conflict use_column
declare v_rel oid[] := '{}'; v_img text[] := '{}'; v_at tid[] := '{}'; v_own int; v_from int := 1; v_to int;
  v_one record; v_images text[]; v_found tid[]; v_child record; v_tables oid[]; v_text text; v_count bigint;
begin
  for v_one in select p.rel, p.find, p.merged from ${PART} p where p.rel in (select u.rel from unnest(p_rel, p_w) u(rel, w) where u.w < 0) loop
    v_images := array(select u.img from unnest(p_rel, p_img, p_w) u(rel, img, w) where u.rel = v_one.rel and u.w < 0);
    execute v_one.find into v_found using v_images, (select pg_catalog.array_agg(u.place) from unnest(p_place_rel, p_place) u(rel, place) where u.rel = v_one.rel);
    if pg_catalog.cardinality(v_found) <> pg_catalog.cardinality(v_images) then
      raise exception using errcode = '${INCOHERENT_STATE}', message = 'a row of ' || v_one.rel::regclass || ' to be deleted does not exist';
    end if;
    if v_one.merged is not null then execute v_one.merged into p_img using p_rel, p_img, p_w, v_found; end if;
    v_rel := v_rel || pg_catalog.array_fill(v_one.rel, array[pg_catalog.cardinality(v_images)]);
    v_img := v_img || v_images;
    v_at := v_at || v_found;
  end loop;
  v_own := pg_catalog.cardinality(v_rel);
  loop
    v_to := pg_catalog.cardinality(v_rel);
    exit when v_from > v_to;
    for v_one in select p.rel, c.text from ${PART} p cross join pg_catalog.unnest(p.children) c(text) where p.rel = any(v_rel[v_from:v_to]) loop
      for v_child in execute 'select * from (' || v_one.text || ') c(rel, place, img)' using
        array(select u.img from unnest(v_rel[v_from:v_to], v_img[v_from:v_to]) u(rel, img) where u.rel = v_one.rel) loop
        if not exists (select from unnest(v_rel, v_at) u(rel, place) where u.rel = v_child.rel and u.place = v_child.place) then
          v_rel := v_rel || v_child.rel;
          v_img := v_img || v_child.img;
          v_at := v_at || v_child.place;
        end if;
      end loop;
    end loop;
    v_from := v_to + 1;
  end loop;
  v_tables := array(select distinct x from pg_catalog.unnest(v_rel || p_rel) x);
  perform ${OURS}.quiet(v_tables, false);
  select 'with ' || pg_catalog.string_agg(p.gone, ', ' order by p.rel) || ' select ' || pg_catalog.string_agg('(select count(*) from d_' || p.rel || ')', ' + ' order by p.rel)
    into v_text from ${PART} p where p.rel = any(v_rel);
  if v_text is not null then
    execute v_text into v_count using p_rel, p_img, p_w, v_rel, v_at;
    if v_count <> pg_catalog.cardinality(v_rel) then
      raise exception using errcode = '${INCOHERENT_STATE}', message = 'a row to be deleted does not exist';
    end if;
  end if;
  v_rel := array(select u.rel from unnest(p_rel, p_w) with ordinality u(rel, w, i) where u.w > 0 order by u.i) || v_rel[v_own + 1:];
  v_img := array(select u.img from unnest(p_img, p_w) with ordinality u(img, w, i) where u.w > 0 order by u.i) || v_img[v_own + 1:];
  select 'with ' || pg_catalog.string_agg(p.come, ', ' order by p.rel) || ' ' || pg_catalog.string_agg(p.came, ' union all ' order by p.rel)
    into v_text from ${PART} p where p.rel = any(v_rel);
  if v_text is not null then
    return query execute v_text using v_rel, v_img, pg_catalog.array_fill(1, array[pg_catalog.cardinality(v_rel)]);
  end if;
  perform ${OURS}.quiet(v_tables, true);
end`)}`;

/**
 * Returns a CREATE FUNCTION statement for the function `put_rows`, which restores rows. `p_w`: a number below 0 to delete a row, above 0 to insert a
 * row. The result has the same rows as the result of the function `put`.
 */
const putRows = (
  path: string,
): string => `create function ${OURS}.put_rows(p_rel oid[], p_img text[], p_w int[], p_place_rel oid[], p_place tid[])
  returns table(rel oid, img text, place tid, n int) language plpgsql${path} as ${quoteText(`
#variable_conflict use_column
declare v_tables oid[] := array(select distinct x from pg_catalog.unnest(p_rel) x); v_one record; v_found tid[]; v_gone_rel oid[] := '{}'; v_gone tid[] := '{}'; v_text text; v_lost text;
begin
  if 0 = any(v_tables) then
    raise exception using errcode = '${DDL_STATE}', message = (select u.img from unnest(p_rel, p_img) u(rel, img) where u.rel = 0 limit 1);
  end if;
  if pg_catalog.cardinality(v_tables) = 0 then return; end if;
  perform ${OURS}.quiet(v_tables, false);
  set constraints all immediate;
  for v_one in select p.rel, p.find from ${PART} p where p.keyless and p.rel = any(v_tables) loop
    execute v_one.find into v_found using
      array(select u.img from unnest(p_rel, p_img, p_w) u(rel, img, w) where u.rel = v_one.rel and u.w < 0),
      (select pg_catalog.array_agg(u.place) from unnest(p_place_rel, p_place) u(rel, place) where u.rel = v_one.rel);
    v_gone := v_gone || v_found;
    v_gone_rel := v_gone_rel || pg_catalog.array_fill(v_one.rel, array[pg_catalog.cardinality(v_found)]);
  end loop;
  select 'with ' || pg_catalog.string_agg(p.steps, ', ' order by p.rel) || ' ' || pg_catalog.string_agg(p.result, ' union all ' order by p.rel)
    into v_text from ${PART} p where p.rel = any(v_tables);
  begin
    for rel, img, place, n, v_lost in execute v_text using p_rel, p_img, p_w, v_gone_rel, v_gone loop
      if v_lost is not null then
        raise exception using errcode = '${INCOHERENT_STATE}', message = 'a row of ' || v_lost || ' to be deleted does not exist';
      end if;
      return next;
    end loop;
  exception when unique_violation or exclusion_violation or foreign_key_violation or restrict_violation then
    return query select f.rel, f.img, f.place, f.n from ${OURS}.put_apart(p_rel, p_img, p_w, p_place_rel, p_place) f;
  end;
  perform ${OURS}.quiet(v_tables, true);
end`)}`;
