import { createHash } from "node:crypto";
import { OURS, type Catalog } from "../schema/catalog.ts";
import { OFF } from "../connect/control.ts";

/** The maximum number of locks ("doors") of an armed gate, one for each write of a call. The gate cannot hold later writes of a call. */
export const DOORS = 64;
/**
 * The number of existing doors. An armed gate uses at most {@link DOORS} of them. The other doors replace doors at which an ended write has left its
 * locks.
 */
const ALL_DOORS = 2 * DOORS;
const numbers = [...Array(ALL_DOORS).keys()];
const KINDS = [
  ["insert", "i"],
  ["update", "u"],
  ["delete", "d"],
] as const;

/**
 * The names of the user locks with which the gate holds writes. The names contain the database, because MySQL's user locks belong to the whole
 * server. Every session sees the current holder of a lock, even inside an old transaction snapshot. A lock ends with the session that holds it.
 */
export interface GateLocks {
  /** The lock that seqqa holds while the gate is armed. */
  readonly armed: string;
  /** The lock that seqqa holds if the held write should fail after its release. */
  readonly fault: string;
  /**
   * The beginning of the names of the door locks. seqqa holds these locks, and each write of the call waits for its own lock: write 1 for door 0,
   * write 2 for door 1.
   */
  readonly door: string;
  /** The beginning of the name of a lock that a waiting session holds. The name ends with the number of the door at which the session waits. */
  readonly here: string;
  /**
   * Returns the beginning of the name of another lock that a waiting session holds. The name shows the number of the written table and the first
   * letter of INSERT, UPDATE or DELETE, and ends with the number of the door.
   */
  readonly at: (table: number, kind: string) => string;
}

export function gateLocks(database: string): GateLocks {
  const own = `seqqa gate ${createHash("sha256").update(database).digest("hex").slice(0, 24)}`;
  return {
    armed: own,
    fault: `${own} f`,
    door: `${own} d`,
    here: `${own} h`,
    at: (table, kind) => `${own} ${table}${kind.slice(0, 1).toLowerCase()} `,
  };
}

/**
 * Returns CREATE TRIGGER statements for the triggers that hold writes. MySQL has only row triggers, so a trigger recognizes the first row of a
 * statement by `now(6)`, which is constant within a statement. Statements that change no row are not held. A held UPDATE or DELETE has already locked
 * its first row. If a time limit or KILL QUERY ends a held write, its session keeps the locks until its next write at an armed gate.
 */
export function gateStatements({ tables }: Catalog, { armed, fault, door, here, at }: GateLocks): string[] {
  const numbered = (name: string): string => `concat('${name}', @seqqa_d)`;
  return tables.flatMap(({ sqlName }, index) =>
    KINDS.map(
      ([kind, letter]) => `create trigger ${OURS}${index}_g${letter} before ${kind} on ${sqlName} for each row begin
  if ${OFF} is null and is_free_lock('${armed}') = 0 and not (@seqqa_at <=> now(6)) then
    if @seqqa_here is not null then do release_lock(@seqqa_here), release_lock(@seqqa_table); end if;
    set @seqqa_at = now(6), @seqqa_d = 0, @seqqa_here = null;
    while @seqqa_d < ${ALL_DOORS} and is_free_lock(${numbered(door)}) do set @seqqa_d = @seqqa_d + 1; end while;
    if @seqqa_d < ${ALL_DOORS} and get_lock(${numbered(here)}, 0) then
      set @seqqa_here = ${numbered(here)}, @seqqa_table = ${numbered(at(index, kind))};
      do get_lock(@seqqa_table, 0);
      do get_lock(${numbered(door)}, 86400);
      do release_lock(${numbered(door)}), release_lock(@seqqa_table), release_lock(@seqqa_here);
      set @seqqa_here = null;
      if is_free_lock('${fault}') = 0 then
        signal sqlstate 'HY000' set mysql_errno = 1030, message_text = 'could not write: a fault made by seqqa';
      end if;
    end if;
  end if;
end`,
    ),
  );
}

/**
 * Returns a query that takes the gate's locks. The result is one row: first a session that already holds a lock of the gate (NULL if there is none),
 * then `1` for each lock that was taken.
 */
export function armSql({ armed, door, here }: GateLocks, doors: readonly number[]): string {
  const taken = [armed, ...doors.flatMap((i) => [`${door}${i}`, `${here}${i}`])].map((name) => `is_used_lock('${name}')`);
  // Take the lock `armed` last: a session that sees this lock must find the doors already locked.
  const got = [...doors.map((i) => `${door}${i}`), armed].map((name) => `get_lock('${name}', 0)`);
  return `select coalesce(${taken.join(", ")}), ${got.join(", ")}`;
}

/** Returns the numbers of the first `count` doors that are not in `left`. */
export function doorsWithout(left: readonly number[], count: number): readonly number[] {
  return numbers.filter((i) => !left.includes(i)).slice(0, count);
}

/** Returns a query for the doors whose lock `here` is held by a session that executes no statement. Such a session no longer waits at the door. */
export function leftSql({ here }: GateLocks): string {
  const doors = numbers.map((i) => `select ${i} as i`).join(" union all ");
  return `select d.i from (${doors}) d join information_schema.processlist p on p.id = is_used_lock(concat('${here}', d.i)) where p.command = 'Sleep'`;
}

export function hereSql({ here }: GateLocks, door: number): string {
  return `select is_used_lock('${here}${door}')`;
}

export function openSql({ armed, door }: GateLocks, doors: readonly number[], disarm: boolean): string {
  const names = [...(disarm ? [armed] : []), ...doors.map((i) => `${door}${i}`)];
  return `do ${names.map((name) => `release_lock('${name}')`).join(", ")}`;
}

/**
 * Returns a query that finds the write of the session that waits at a door. The result has a row for each kind of statement and each table: the kind,
 * the number of the table, and the session that waits at the door in such a write, or NULL.
 */
export function whereSql({ at }: GateLocks, tables: number, door: number): string {
  const places = [...Array(tables).keys()].flatMap((i) => KINDS.map(([kind]) => [kind.toUpperCase(), i] as const));
  return places.map(([kind, i]) => `select '${kind}', ${i}, is_used_lock('${at(i, kind)}${door}')`).join(" union all ");
}

export function faultSql({ fault }: GateLocks, is: boolean): string {
  return is ? `do get_lock('${fault}', 0)` : `do release_lock('${fault}')`;
}

/** Returns a statement that kills a session, and a query that returns a row as long as the session exists. */
export function endSql(session: string): { readonly end: string; readonly isThere: string } {
  return { end: `kill ${session}`, isThere: `select 1 from information_schema.processlist where id = ${session}` };
}
