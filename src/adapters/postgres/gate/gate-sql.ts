import { OURS, USER_SCHEMA } from "../schema/catalog.ts";
import { quoteText } from "../connect/sql-text.ts";

/** The first key of seqqa's advisory locks: the letters `seqq` as a number. In PostgreSQL, two databases can use the same keys independently. */
const CLASS = 1936027761;
/**
 * The highest number of a write of a call that the gate can hold. To hold write n of a call, the sequence that counts writes starts at -n. The gate
 * holds the write that makes the sequence 0.
 */
const MOST_WRITES = 1_000_000_000;
/** The keys of the lock that seqqa holds while the gate is armed. If seqqa's session ends, the server releases the lock, and held writes continue. */
const ARMED = `${CLASS}, 2`;
/**
 * The statements that the gate can hold. A held session takes another lock that shows its statement: the first key is CLASS plus the position in this
 * list, the second key is the oid of the table.
 */
const KINDS = ["INSERT", "UPDATE", "DELETE", "TRUNCATE"];
/** The name of the gate's triggers. PostgreSQL fires triggers in the order of their names, and this name sorts before all other names. */
const TRIGGER = '"!seqqa_gate"';

/**
 * Returns SQL statements that install the gate: a trigger before each write statement of the target. A sequence counts the writes, because a rollback
 * does not change a sequence. A session sees the current values of locks and sequences, even inside an old transaction snapshot. Statements inside
 * triggers and cascades are not counted. A held statement has locked its table, but no row.
 */
export function gateStatements(controlSwitch: string): string[] {
  return [
    `create sequence ${OURS}.gate minvalue -${MOST_WRITES}`,
    // The value 1 of this sequence makes the held write fail after its release.
    `create sequence ${OURS}.fault minvalue 0`,
    // The lock belongs to the transaction, so the server releases the lock however the wait ends. `lock_timeout` is off, because the target did not
    // cause this wait.
    `create function ${OURS}.hold(op text, rel int) returns void language plpgsql set search_path = pg_catalog set lock_timeout = 0 as ${quoteText(`
begin
  if nextval('${OURS}.gate') <> 0 then return; end if;
  perform pg_advisory_xact_lock_shared(${CLASS} + array_position('{${KINDS.join(",")}}', op), rel);
  perform pg_advisory_xact_lock_shared(${ARMED});
  if (select last_value from ${OURS}.fault) = 1 then
    raise exception using errcode = 'io_error', message = 'could not write: a fault made by seqqa';
  end if;
end`)}`,
    `create function ${OURS}.gate() returns trigger language plpgsql security definer as ${quoteText(`
begin
  if not pg_catalog.pg_try_advisory_xact_lock_shared(${ARMED}) then
    perform ${OURS}.hold(TG_OP::pg_catalog.text, TG_RELID::pg_catalog.int4);
  end if;
  return null;
end`)}`,
    // Create the trigger also on partitioned tables, because a statement fires the triggers of the table that it names. Skip tables of other owners,
    // because only ignored tables can have another owner.
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

/**
 * Returns SQL that arms the gate. The second value of the result is `t` if the lock was taken, otherwise `f`. The third value names a session with an
 * open write transaction, which may still hold the lock.
 */
export function armSql(write: number): string {
  return `select setval('${OURS}.gate', ${-write}), pg_try_advisory_lock(${ARMED}), ${OURS}.busy(), setval('${OURS}.fault', 0)`;
}

/** Returns SQL that arms the gate for a write number that is never reached. The gate then only counts writes. */
export function watchSql(): string {
  return armSql(MOST_WRITES);
}

/** A query for the number of writes since {@link watchSql} armed the gate. */
export const WATCHED_SQL: string = `select last_value + ${MOST_WRITES} from ${OURS}.gate`;

/** A statement that makes the held write fail after its release. */
export const FAIL_SQL: string = `select setval('${OURS}.fault', 1)`;

/** Returns a statement that ends a session, and a query that returns a row as long as the session exists. */
export function endSql(pid: string): { readonly end: string; readonly isThere: string } {
  return { end: `select pg_terminate_backend(${pid})`, isThere: `select 1 from pg_stat_get_activity(${pid})` };
}

export const RELEASE_SQL: string = `select pg_advisory_unlock(${ARMED})`;

/** A query for the held session, the kind of its statement, and the table of the statement. */
export const HELD_SQL: string = `with l as materialized (
    select pid, classid::bigint - ${CLASS} as kind, objid, granted from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
       and classid::bigint between ${CLASS} and ${CLASS + KINDS.length})
  select w.pid, ('{${KINDS.join(",")}}'::text[])[at.kind::int], n.nspname, c.relname
    from l w join l at on at.pid = w.pid and at.kind > 0 and at.granted
    left join pg_class c on c.oid = at.objid left join pg_namespace n on n.oid = c.relnamespace
   where w.kind = 0 and w.objid = 2 and not w.granted`;

/**
 * Returns a query for a lock for which another session waits because of the held session `pid`, directly or through other sessions. Row locks come
 * first, because a row lock shows the name of the table. The query needs no privilege.
 */
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
