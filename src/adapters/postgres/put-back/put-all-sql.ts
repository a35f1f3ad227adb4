import { OURS, type Table } from "../schema/catalog.ts";
import { RAISE_CACHED } from "../journal/counter-sql.ts";
import { REQUIRE_LEASE } from "../journal/lease-sql.ts";
import { changesRows, DDL_STATE, judgedImage, putFunction } from "./put-back-sql.ts";
import type { Rights } from "../journal/rights.ts";
import { SHAPE_CHANGED } from "../schema/shape-sql.ts";
import { quoteText } from "../connect/sql-text.ts";

/** Values of the result column `n` with a special meaning. All other values of `n` are row counts. */
export const NOTHING_DONE = -1;
export const LOOKED = -2;

export interface Putting extends Rights {
  readonly borrowed: boolean;
  /** The name of a setting that only seqqa's control session has. Triggers recognise seqqa's own writes by this setting. */
  readonly controlSwitch: string;
}

/**
 * Returns a CREATE FUNCTION statement for the function `put`, which makes the given row changes and undoes the unread log entries. The function first
 * adds up both kinds of changes, so that opposite changes cost nothing. The result of `put` has three parts:
 * - The first row names a session that is writing. If there is such a session, nothing is changed.
 * - For each table: the `ctid`s of inserted rows without a key, and the number of changed rows.
 * - Rows with `n` = LOOKED: the result of the function `read`, with changes that other sessions committed in the meantime.
 *
 * Parameters of `put`:
 * - `p_parts`: three indexes for each table: its first deleted row, its first inserted row, and its end.
 * - `p_seen`: the sequences at the last read. If anything was written since the last read, nothing is changed, and `n` of the first row is
 * NOTHING_DONE.
 * - `p_quiet`: see the function `read`. If `p_quiet` is `true` and the log has unread entries, nothing is changed, as with `p_seen`.
 */
export function putAllFunction(tables: readonly Table[], { borrowed, superuser, replica, controlSwitch }: Putting): string {
  return `create function ${OURS}.put(p_rel oid[], p_img text[], p_w int[], p_place_rel oid[], p_place tid[], p_counters bigint[],
  p_keep bigint, p_kept_rel oid[], p_kept_img text[], p_kept_w int[], p_step bigint, p_seen bigint[], p_parts int[], p_quiet boolean)
  returns table(rel oid, img text, place tid, n int, now text) language plpgsql as ${quoteText(`
#variable_conflict use_column
declare v_rel oid; v_del text[]; v_ins text[]; v_places tid[]; ${replica ? "" : "v_rels oid[]; v_imgs text[]; v_ws int[]; v_place_rels oid[];"}
begin
  if current_setting(${replica ? "'session_replication_role') <> 'replica'" : `'${controlSwitch}', true) is null`} then raise exception 'not a control session'; end if;
  ${borrowed ? REQUIRE_LEASE : ""}
  img := ${OURS}.busy();
  if img is null and ((p_seen is not null and ${OURS}.counters() is distinct from p_seen)
    or ((p_quiet or p_seen is not null) and ${isWritten(tables)})) then
    n := ${NOTHING_DONE};
  end if;
  return next;
  if img is not null or n is not null then return; end if;
  ${superuser ? "" : COMPARE_CATALOG}
  ${replica ? inReplicaRole(tables) : asOwner(tables)}
  ${borrowed ? KEEP : ""}
  ${borrowed && tables.some(({ key }) => key.length === 0) ? TOUCH : ""}
  perform ${OURS}.put_counters(p_counters);
  ${RAISE_CACHED}
  return query select l.rel, l.o, l.place, ${LOOKED}, l.n from ${OURS}.read(${superuser ? "false" : "null"}, p_step, p_quiet) l;
end`)}`;
}

/** Returns an SQL condition that is true if the undo log has an entry. Changes of ignored columns alone do not count. */
function isWritten(tables: readonly Table[]): string {
  const logged = `exists (select from ${OURS}.log)`;
  return tables.some(({ ignored }) => ignored.length > 0) ? `(${logged} and ${changesRows(`${OURS}.log`, judgedImage(tables))})` : logged;
}

const COMPARE_CATALOG = `if ${OURS}.shape() <> (select r.shape from ${OURS}.owner r) then
    raise exception using errcode = '${DDL_STATE}', message = '${SHAPE_CHANGED}';
  end if;`;

/** Returns SQL that adds up the row changes in the undo log and in the parameters. Rows that differ only in ignored columns count as equal. */
const sumsOf = (tables: readonly Table[]): string => `d as (delete from ${OURS}.log l returning l.rel, l.o, l.n, l.place),
      e(rel, img, w) as (
        select d.rel, d.o, 1 from d where d.o is not null
        union all select d.rel, d.n, -1 from d where d.n is not null
        union all select u.rel, u.img, u.w from unnest(p_rel, p_img, p_w) u(rel, img, w)),
      s(rel, img, w) as (select e.rel, min(e.img collate "C"), sum(e.w)::int from e group by e.rel, ${judgedImage(tables)} having sum(e.w) <> 0)`;

/** Returns SQL that changes the rows of all tables in one statement, for roles that are not allowed to use replica role. */
const asOwner = (
  tables: readonly Table[],
): string => `v_rels := p_rel; v_imgs := p_img; v_ws := p_w; v_place_rels := p_place_rel; v_places := p_place;
  if not p_quiet and exists (select from ${OURS}.log) then
    with ${sumsOf(tables)},
    h(rel, place) as (select d.rel, d.place from d where d.place is not null union all select u.rel, u.place from unnest(p_place_rel, p_place) u(rel, place))
    select array_agg(s.rel), array_agg(s.img), array_agg(sign(s.w)::int), (select array_agg(h.rel) from h), (select array_agg(h.place) from h)
      into v_rels, v_imgs, v_ws, v_place_rels, v_places from s, generate_series(1, abs(s.w));
  end if;
  return query select f.rel, f.img, f.place, f.n, null::text from ${OURS}.put_rows(v_rels, v_imgs, v_ws, v_place_rels, v_places) f;`;

function inReplicaRole(tables: readonly Table[]): string {
  const keyless = tables.some(({ key }) => key.length === 0);
  const placed =
    "select d.rel, d.place from d where d.place is not null union all select u.rel, u.place from unnest(p_place_rel, p_place) u(rel, place)";
  const places = keyless ? `(select array_agg(h.place) from (${placed}) h where h.rel = s.rel)` : "null::tid[]";
  return `-- The log rarely has rows that were not read. A row that is written after this check is read later, as a later write.
  if not p_quiet and exists (select from ${OURS}.log) then
    for v_rel, v_del, v_ins, v_places in
      with ${sumsOf(tables)}
      select s.rel, array_agg(s.img) filter (where s.w < 0), array_agg(s.img) filter (where s.w > 0), ${places}
        from s, generate_series(1, abs(s.w)) group by s.rel
    loop
      ${dispatch(tables)}
    end loop;
  else
    for i in 1 .. coalesce(cardinality(p_parts), 0) / 3 loop
      v_rel := p_rel[p_parts[3 * i - 2]];
      v_del := nullif(p_img[p_parts[3 * i - 2] : p_parts[3 * i - 1] - 1], '{}');
      v_ins := nullif(p_img[p_parts[3 * i - 1] : p_parts[3 * i] - 1], '{}');
      ${keyless ? `v_places := (select array_agg(u.place) from unnest(p_place_rel, p_place) u(rel, place) where u.rel = v_rel);` : ""}
      ${dispatch(tables)}
    end loop;
  end if;`;
}

function dispatch(tables: readonly Table[]): string {
  const branches = tables.map((table) => {
    const call = `${putFunction(table)}(v_del, v_ins, v_places)`;
    const run = table.key.length > 0 ? `perform ${call}` : `return query select v_rel, f.img, f.place, 0, null::text from ${call} f`;
    return `when ${table.oid} then ${run};`;
  });
  return `case v_rel
        when 0 then raise exception using errcode = '${DDL_STATE}', message = v_ins[1];
        ${branches.join("\n        ")}
      end case;
      rel := v_rel; img := null; place := null; n := coalesce(cardinality(v_del), 0) + coalesce(cardinality(v_ins), 0);
      return next;`;
}

/**
 * Updates the row of `owner`, so that its `xmin` is later than the `xmin` of all rows that this restore wrote. The restore wrote the rows in nested
 * transactions, which have ids of their own. The exception block also makes this update a nested transaction.
 */
const TOUCH = `begin
    update ${OURS}.owner set recorded_ms = recorded_ms;
  exception when no_data_found then raise;
  end;`;

/** Deletes the recorded steps after the restored state. If a snapshot is written, also records the row changes of the snapshot. */
const KEEP = `delete from ${OURS}.kept k where k.step > p_keep;
  if p_kept_rel is not null then
    insert into ${OURS}.kept(step, rel, o, n) select p_keep + 1, k.rel, case when k.w < 0 then k.img end, case when k.w > 0 then k.img end
      from unnest(p_kept_rel, p_kept_img, p_kept_w) k(rel, img, w), generate_series(1, abs(k.w));
  end if;`;
