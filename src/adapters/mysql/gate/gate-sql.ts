import { createHash } from "node:crypto";
import { OURS, type Catalog } from "../schema/catalog.ts";
import { OFF } from "../connect/control.ts";

/** The highest number of a write at which a call can be held. */
export const DOORS = 64;
const KINDS = [
  ["insert", "i"],
  ["update", "u"],
  ["delete", "d"],
] as const;

/**
 * User locks that hold a write. They belong to the whole server, so their names differ between databases. Every session sees them as they are now,
 * whatever snapshot it has. They end with their session, however it ends.
 */
export interface GateLocks {
  /** Held by us while the gate is armed. */
  readonly armed: string;
  /** Held by us while a write that passes its door fails. */
  readonly fault: string;
  /** Prefix of the names of the doors, which we hold until they are opened: the first write waits at the first, and so on. */
  readonly door: string;
  /** Prefix of the names of the locks of waiting sessions, before the number of the door. */
  readonly here: string;
  /** Returns the lock by which a waiting session shows its kind of statement, from the number of the table and the kind's first letter. */
  readonly at: (table: number, kind: string) => string;
}

export function gateLocks(database: string): GateLocks {
  const own = `seqqa gate ${createHash("sha256").update(database).digest("hex").slice(0, 24)}`;
  return {
    armed: own,
    fault: `${own} f`,
    door: `${own} d`,
    here: `${own} h`,
    at: (table, kind) => `${own} ${table}${kind.slice(0, 1).toLowerCase()}`,
  };
}

/**
 * Returns the triggers that hold. MySQL has none for statements: these fire for each row, and within a statement the server's clock does not move,
 * whatever triggers and functions do in it. A statement without a row is not seen. An update or delete has locked its first row when it is held.
 */
export function gateStatements({ tables }: Catalog, { armed, fault, door, here, at }: GateLocks): string[] {
  const numbered = (name: string): string => `concat('${name}', @seqqa_d)`;
  return tables.flatMap(({ sqlName }, index) =>
    KINDS.map(
      ([kind, letter]) => `create trigger ${OURS}${index}_g${letter} before ${kind} on ${sqlName} for each row begin
  if ${OFF} is null and is_free_lock('${armed}') = 0 and not (@seqqa_at <=> now(6)) then
    set @seqqa_at = now(6), @seqqa_d = 0;
    while @seqqa_d < ${DOORS} and is_free_lock(${numbered(door)}) do set @seqqa_d = @seqqa_d + 1; end while;
    if @seqqa_d < ${DOORS} and get_lock(${numbered(here)}, 0) then
      do get_lock('${at(index, kind)}', 0);
      do get_lock(${numbered(door)}, 86400);
      do release_lock(${numbered(door)}), release_lock('${at(index, kind)}'), release_lock(${numbered(here)});
      if is_free_lock('${fault}') = 0 then
        signal sqlstate 'HY000' set mysql_errno = 1030, message_text = 'could not write: a fault made by seqqa';
      end if;
    end if;
  end if;
end`,
    ),
  );
}

/** Returns a query for one row: the session that has one of the locks already, and `1` for each lock that we got. */
export function armSql({ armed, door, here }: GateLocks, doors: number): string {
  const numbers = [...Array(doors).keys()];
  const taken = [armed, ...numbers.flatMap((i) => [`${door}${i}`, `${here}${i}`])].map((name) => `is_used_lock('${name}')`);
  // In this order: a session that sees the gate armed sees the doors.
  const got = [...numbers.map((i) => `${door}${i}`), armed].map((name) => `get_lock('${name}', 0)`);
  return `select coalesce(${taken.join(", ")}), ${got.join(", ")}`;
}

/** Returns a query for one row: the session that waits at this door. */
export function hereSql({ here }: GateLocks, door: number): string {
  return `select is_used_lock('${here}${door}')`;
}

export function openSql({ armed, door }: GateLocks, doors: readonly number[], disarm: boolean): string {
  const names = [...(disarm ? [armed] : []), ...doors.map((i) => `${door}${i}`)];
  return `do ${names.map((name) => `release_lock('${name}')`).join(", ")}`;
}

/** Returns a query for what waiting sessions do, as rows of a kind of statement, a table's number, and the session. */
export function whereSql({ at }: GateLocks, tables: number): string {
  const places = [...Array(tables).keys()].flatMap((i) => KINDS.map(([kind]) => [kind.toUpperCase(), i] as const));
  return places.map(([kind, i]) => `select '${kind}', ${i}, is_used_lock('${at(i, kind)}')`).join(" union all ");
}

export function faultSql({ fault }: GateLocks, is: boolean): string {
  return is ? `do get_lock('${fault}', 0)` : `do release_lock('${fault}')`;
}

/** Returns statements that end a session, and that find it as long as it exists. */
export function endSql(session: string): { readonly end: string; readonly isThere: string } {
  return { end: `kill ${session}`, isThere: `select 1 from information_schema.processlist where id = ${session}` };
}
