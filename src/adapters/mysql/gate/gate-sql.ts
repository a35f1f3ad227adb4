import { createHash } from "node:crypto";
import { OURS, type Catalog } from "../schema/catalog.ts";
import { OFF } from "../connect/control.ts";

/** Writes at which one can be held, at most. */
export const DOORS = 64;
const KINDS = [
  ["insert", "i"],
  ["update", "u"],
  ["delete", "d"],
] as const;

/**
 * User locks by which a write is held. They are the whole server's, so their names tell databases apart, and they are as they are now for every session,
 * whatever snapshot it has. They end with their session, however it ends.
 */
export interface GateLocks {
  /** Ours, while the gate is armed. */
  readonly armed: string;
  /** Begins the names of the doors, which are ours until they are opened: the first write waits at the first, and so on. */
  readonly door: string;
  /** Begins the names of the locks of those who wait, by the number of the door. */
  readonly here: string;
  /** Who waits says at which kind of statement, by the number of the table and its first letter. */
  readonly at: (table: number, kind: string) => string;
}

export function gateLocks(database: string): GateLocks {
  const own = `seqqa gate ${createHash("sha256").update(database).digest("hex").slice(0, 24)}`;
  return { armed: own, door: `${own} d`, here: `${own} h`, at: (table, kind) => `${own} ${table}${kind.slice(0, 1).toLowerCase()}` };
}

/**
 * Triggers that hold. There are none for statements: these fire for each row, and within a statement the clock stands still, whatever triggers and functions
 * do in it. That a statement has no row is not seen. An update or delete has locked its first row when it is held.
 */
export function gateStatements({ tables }: Catalog, { armed, door, here, at }: GateLocks): string[] {
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
    end if;
  end if;
end`,
    ),
  );
}

/** One row: who has one of the locks already, and `1` for each that we got. */
export function armSql({ armed, door, here }: GateLocks, doors: number): string {
  const numbers = [...Array(doors).keys()];
  const taken = [armed, ...numbers.flatMap((i) => [`${door}${i}`, `${here}${i}`])].map((name) => `is_used_lock('${name}')`);
  // In this order: who sees it armed sees the doors.
  const got = [...numbers.map((i) => `${door}${i}`), armed].map((name) => `get_lock('${name}', 0)`);
  return `select coalesce(${taken.join(", ")}), ${got.join(", ")}`;
}

/** One row: the session that waits at this door. */
export function hereSql({ here }: GateLocks, door: number): string {
  return `select is_used_lock('${here}${door}')`;
}

export function openSql({ armed, door }: GateLocks, doors: readonly number[], disarm: boolean): string {
  const names = [...(disarm ? [armed] : []), ...doors.map((i) => `${door}${i}`)];
  return `do ${names.map((name) => `release_lock('${name}')`).join(", ")}`;
}

/** What a session that waits does, as rows of a kind of statement and a table's number, with whose session it is. */
export function whereSql({ at }: GateLocks, tables: number): string {
  const places = [...Array(tables).keys()].flatMap((i) => KINDS.map(([kind]) => [kind.toUpperCase(), i] as const));
  return places.map(([kind, i]) => `select '${kind}', ${i}, is_used_lock('${at(i, kind)}')`).join(" union all ");
}
