import { OURS, USER_SCHEMA } from "../schema/catalog.ts";
import { quoteText } from "../connect/sql-text.ts";

/** Of advisory locks of ours; the letters `seqq`. Those of other databases have the same numbers and are others. */
const CLASS = 1936027761;
/** Held by our session while the gate is armed. Its end, however it comes, opens the gate. */
const ARMED = `${CLASS}, 2`;
/** Who is held says where by a lock of the class after these, and of the table's oid: nobody waits for it. */
const KINDS = ["INSERT", "UPDATE", "DELETE", "TRUNCATE"];
/** Sorts before other names, so that it is the first of the triggers BEFORE a statement. */
const TRIGGER = '"!seqqa_gate"';

/**
 * A trigger before each write statement of the target. While nothing is armed it takes a lock that nobody wants, once in a transaction. Locks and sequences
 * are as they are now for every session, whatever snapshot it has; the sequence counts, and a rollback does not take it back. Triggers' own statements,
 * cascades among them, come deeper than 0. What is held has its snapshot and its lock on the table, and none on a row.
 */
export function gateStatements(controlSwitch: string): string[] {
  return [
    `create sequence ${OURS}.gate minvalue -1000000000`,
    // In a transaction's lock: what ends the wait, a timeout or the end of the session, leaves none. Waiting is ours, so the target's limit does not count.
    `create function ${OURS}.hold(op text, rel int) returns void language plpgsql set search_path = pg_catalog set lock_timeout = 0 as ${quoteText(`
begin
  if nextval('${OURS}.gate') <> 0 then return; end if;
  perform pg_advisory_xact_lock_shared(${CLASS} + array_position('{${KINDS.join(",")}}', op), rel);
  perform pg_advisory_xact_lock_shared(${ARMED});
end`)}`,
    `create function ${OURS}.gate() returns trigger language plpgsql security definer as ${quoteText(`
begin
  if not pg_catalog.pg_try_advisory_xact_lock_shared(${ARMED}) then
    perform ${OURS}.hold(TG_OP::pg_catalog.text, TG_RELID::pg_catalog.int4);
  end if;
  return null;
end`)}`,
    // Partitioned tables too: a statement's triggers are those of the table that it names. A table of another owner can only be an ignored one.
    `do ${quoteText(`
declare t text; begin
  for t in select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'p') and c.relpersistence in ('p', 'u') and pg_has_role(c.relowner, 'usage') and ${USER_SCHEMA} loop
    execute format('create trigger ${TRIGGER} before insert or update or delete or truncate on %s for each statement
      when (current_setting(%L, true) is null and pg_trigger_depth() = 0) execute function ${OURS}.gate()', t, ${quoteText(controlSwitch)});
    execute format('alter table only %s enable always trigger ${TRIGGER}', t);
  end loop;
end`)}`,
  ];
}

/** Whether nobody was in the way: `t` or `f`, and who. */
export function armSql(write: number): string {
  return `select setval('${OURS}.gate', ${-write}), pg_try_advisory_lock(${ARMED}), ${OURS}.busy()`;
}

export const RELEASE_SQL: string = `select pg_advisory_unlock(${ARMED})`;

/** The session that is held, and where. */
export const HELD_SQL: string = `with l as materialized (
    select pid, classid::bigint - ${CLASS} as kind, objid, granted from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
       and classid::bigint between ${CLASS} and ${CLASS + KINDS.length})
  select w.pid, ('{${KINDS.join(",")}}'::text[])[at.kind::int], n.nspname, c.relname
    from l w join l at on at.pid = w.pid and at.kind > 0 and at.granted
    left join pg_class c on c.oid = at.objid left join pg_namespace n on n.oid = c.relnamespace
   where w.kind = 0 and w.objid = 2 and not w.granted`;

/** The locks that sessions wait for which wait for this one, or for one that does; those that know the row come first. Every role sees who waits for a lock. */
export function blockedSql(pid: string): string {
  return `with recursive w as materialized (
    select a.pid, pg_blocking_pids(a.pid) as blockers from pg_stat_get_activity(null) a
     where a.datid = (select oid from pg_database where datname = current_database()) and a.usesysid is not null and a.pid <> ${pid}
       and exists (select from pg_locks k where k.pid = a.pid and not k.granted)),
  chain(pid) as (select ${pid} union select w.pid from w join chain on chain.pid = any(w.blockers))
  select l.locktype, n.nspname, c.relname from chain join pg_locks l on l.pid = chain.pid
    left join pg_class c on c.oid = l.relation left join pg_namespace n on n.oid = c.relnamespace
   where l.pid <> ${pid} and (not l.granted or l.locktype = 'tuple')
   order by l.locktype = 'tuple' desc, 1, 2, 3 limit 1`;
}
