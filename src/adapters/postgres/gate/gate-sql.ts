import { OURS, USER_SCHEMA } from "../schema/catalog.ts";
import { quoteText } from "../connect/sql-text.ts";

/** The class of our advisory locks: the letters `seqq`. Locks of other databases with the same numbers are different locks. */
const CLASS = 1936027761;
/** The highest number of a write, and the lowest count before it. */
const MOST_WRITES = 1_000_000_000;
/** Held by our session while the gate is armed. The end of the session, for any reason, opens the gate. */
const ARMED = `${CLASS}, 2`;
/**
 * A held session shows where it is by another lock, whose class comes after these and whose number is the table's oid. Nobody waits for that lock.
 */
const KINDS = ["INSERT", "UPDATE", "DELETE", "TRUNCATE"];
/** Sorts before other names, so that it is the first of the triggers BEFORE a statement. */
const TRIGGER = '"!seqqa_gate"';

/**
 * Returns the statements that install the gate: a trigger before each write statement of the target. While the gate is not armed, the trigger takes a
 * lock that nobody wants, once in a transaction. Every session sees locks and sequences as they are now, whatever snapshot it has; the sequence
 * counts, and a rollback does not undo that. Statements of triggers, cascades among them, run at a depth above 0. A held statement has its snapshot
 * and its lock on the table, and none on a row.
 */
export function gateStatements(controlSwitch: string): string[] {
  return [
    `create sequence ${OURS}.gate minvalue -${MOST_WRITES}`,
    // 1: the held write fails. Every session reads the last value as it is now.
    `create sequence ${OURS}.fault minvalue 0`,
    // The lock belongs to the transaction: whatever ends the wait, a timeout or the end of the session, leaves no lock. We cause the wait, so the
    // target's limit does not count.
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

/** Returns SQL that arms the gate. The answer says whether nobody was in the way (`t` or `f`), and who was. */
export function armSql(write: number): string {
  return `select setval('${OURS}.gate', ${-write}), pg_try_advisory_lock(${ARMED}), ${OURS}.busy(), setval('${OURS}.fault', 0)`;
}

/** Returns SQL that arms the gate for a write that nobody makes, so that it only counts. */
export function watchSql(): string {
  return armSql(MOST_WRITES);
}

/** A query for the number of writes since {@link watchSql}. */
export const WATCHED_SQL: string = `select last_value + ${MOST_WRITES} from ${OURS}.gate`;

/** From here on, a write that is let go fails. */
export const FAIL_SQL: string = `select setval('${OURS}.fault', 1)`;

/** Returns a query that ends a session, and one for a session as long as it exists. */
export function endSql(pid: string): { readonly end: string; readonly isThere: string } {
  return { end: `select pg_terminate_backend(${pid})`, isThere: `select 1 from pg_stat_get_activity(${pid})` };
}

export const RELEASE_SQL: string = `select pg_advisory_unlock(${ARMED})`;

/** A query for the session that is held, and where. */
export const HELD_SQL: string = `with l as materialized (
    select pid, classid::bigint - ${CLASS} as kind, objid, granted from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
       and classid::bigint between ${CLASS} and ${CLASS + KINDS.length})
  select w.pid, ('{${KINDS.join(",")}}'::text[])[at.kind::int], n.nspname, c.relname
    from l w join l at on at.pid = w.pid and at.kind > 0 and at.granted
    left join pg_class c on c.oid = at.objid left join pg_namespace n on n.oid = c.relnamespace
   where w.kind = 0 and w.objid = 2 and not w.granted`;

/**
 * Returns a query for the locks for which sessions wait that wait for this one, directly or through others. Those that know the row come first. Every
 * role sees who waits for a lock.
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
