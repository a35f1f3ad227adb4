import { SeqqaError } from "../../../model/errors.ts";
import { OURS } from "./catalog.ts";
import type { Control, Row } from "../connect/control.ts";
import { errnoOf, isDenied } from "../connect/failures.ts";
import { exactly, named, quoteName } from "../connect/sql-text.ts";

/** The largest share of the run's time that may be spent on reading the definitions of tables and other objects. */
const PART = 0.01;
const PAUSE_MS = 50;
const NO_TABLE = 1146;

/**
 * Detects TRUNCATE and DDL, which fire no triggers. A table that is truncated or created again gets a new id, so the ids are read together with the
 * undo log. Other changes, such as a new index, keep the id. To find such changes, all definitions are compared at intervals. A restore never undoes
 * DDL, so a later comparison also finds an earlier change.
 */
export class SchemaWatch {
  /** A query that returns one text for each table, in any order. Joining the texts on the server would cost four times as much. */
  readonly sql: string;
  /** `false` if TRUNCATE cannot be detected, because the database user lacks the PROCESS privilege. */
  readonly seesTruncate: boolean;
  #known: readonly string[] = [];
  #definitions: ReadonlyMap<string, string> = new Map();
  #objects: ReadonlyMap<string, string> = new Map();
  #next = 0;

  private constructor(sql: string, seesTruncate: boolean) {
    this.sql = sql;
    this.seesTruncate = seesTruncate;
  }

  static async open(control: Control): Promise<SchemaWatch> {
    // InnoDB encodes table names like file names: `a-b` is `a@002db`. Encode the name of the database in the same way.
    const [[folder] = [null]] = await control.rows("select convert(convert(database() using filename) using binary)");
    const prefix = `${folder ?? ""}/`;
    const starts = exactly(`left(name, ${prefix.length})`, prefix);
    const columns = "concat_ws('#', name, table_id, n_cols)";
    const ways = [
      `select ${columns} from information_schema.innodb_sys_tables where ${starts}`,
      // MySQL 8 has this table instead of `innodb_sys_tables`.
      `select ${columns} from information_schema.innodb_tables where ${starts}`,
      // This query needs no PROCESS privilege, but it returns only the creation time, in seconds. MariaDB keeps this time when a table is truncated.
      `select concat_ws('#', table_name, create_time) from information_schema.tables where ${named("table_schema", control.store.database)} and table_type <> 'VIEW'`,
    ];
    for (const sql of ways) {
      try {
        const watch = new SchemaWatch(sql, sql !== ways.at(-1));
        await watch.take(control);
        return watch;
      } catch (error) {
        // This server has no such table, or the user is not allowed to read the table. Try the next query.
        if (!isDenied(error) && (error as { errno?: number }).errno !== 1109) throw error;
      }
    }
    throw new SeqqaError(
      "STORE_NOT_ALLOWED",
      `The user in the store's URL is not allowed to read information_schema.tables for the database "${control.store.database}". seqqa reads this table to detect schema changes.`,
      {
        hint: "Grant this user a privilege on the tables of the database, for example SELECT, or use another user in the store's URL.",
        exitStatus: 2,
      },
    );
  }

  /** Reads the current schema. Later reads are compared with this schema. */
  async take(control: Control): Promise<void> {
    this.#known = linesOf(await control.rows(this.sql));
    const names = await control.rows(
      `select table_name from information_schema.tables where ${named("table_schema", control.store.database)} and table_type <> 'VIEW'`,
    );
    this.#definitions = new Map(names.map(([name]) => [name!, ""] as const).filter(([name]) => !name.startsWith(OURS)));
    [this.#definitions, this.#objects] = await this.#read(control);
  }

  /**
   * Returns a description of an object whose definition has changed, or `undefined`. Compares the definitions only at intervals, unless `now` is
   * `true`, and returns `undefined` in between.
   */
  async altered(control: Control, now = false): Promise<string | undefined> {
    const begun = performance.now();
    if (begun < this.#next && !now) return undefined;
    const [definitions, objects] = await this.#read(control);
    const table = differing(definitions, this.#definitions);
    return table === undefined ? differing(objects, this.#objects) : `Table "${table}"`;
  }

  async #read(control: Control): Promise<[tables: Map<string, string>, objects: Map<string, string>]> {
    const begun = performance.now();
    const definitions = new Map<string, string>();
    for (const name of this.#definitions.keys()) definitions.set(name, await definitionOf(control, name));
    const objects = await objectsOf(control);
    const took = performance.now() - begun;
    this.#next = begun + took + Math.max(PAUSE_MS, took / PART);
    return [definitions, objects];
  }

  get reading(): Row[] {
    return this.#known.map((line) => [line]);
  }

  /**
   * Returns a description of a table that was created, dropped, truncated or altered, e.g. `Table "orders"`. Returns `undefined` if there is no such
   * table. `except`: the names of tables that are not compared.
   */
  difference(reading: readonly Row[], except: ReadonlySet<string> = new Set()): string | undefined {
    const compared = (lines: readonly string[]): readonly string[] => lines.filter((line) => !except.has(nameIn(line)));
    const [before, after] = [compared(this.#known), compared(linesOf(reading))];
    if (after.length === before.length && after.every((one, i) => one === before[i])) return undefined;
    const line = after.find((one) => !before.includes(one)) ?? before.find((one) => !after.includes(one)) ?? "";
    return `Table "${nameIn(line)}"`;
  }
}

async function definitionOf(control: Control, name: string): Promise<string> {
  try {
    const [row] = await control.rows(`show create table ${quoteName(name)}`);
    return (row?.[1] ?? "").replace(/ AUTO_INCREMENT=\d+/, "");
  } catch (error) {
    if (errnoOf(error) === NO_TABLE) return "";
    throw error;
  }
}

/** Returns a hash for each trigger, routine, view and event. A new trigger must be detected, because it would fire when rows are restored. */
async function objectsOf(control: Control): Promise<Map<string, string>> {
  const kinds = [
    [
      "Trigger",
      "trigger_name",
      "concat_ws(' ', action_timing, event_manipulation, event_object_table, action_statement)",
      "event_object_schema",
    ],
    ["Routine", "routine_name", "concat_ws(' ', routine_type, routine_definition)", "routine_schema"],
    ["View", "table_name", "view_definition", "table_schema"],
    ["Event", "event_name", "event_definition", "event_schema"],
  ] as const;
  const read = await control.batch(
    kinds.map(
      ([kind, name, text, schema]) =>
        `select ${name}, md5(${text}) from information_schema.${kind.toLowerCase()}s where ${named(schema, control.store.database)} order by 1, 2`,
    ),
  );
  const objects = new Map<string, string>();
  kinds.forEach(([kind], i) => {
    for (const [name, digest] of read[i] ?? []) {
      const key = `${kind} "${name ?? ""}"`;
      // A function and a procedure can have the same name, so join their hashes.
      objects.set(key, `${objects.get(key) ?? ""}${digest ?? ""}`);
    }
  });
  return objects;
}

function differing(now: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): string | undefined {
  return [...now.keys(), ...before.keys()].find((name) => now.get(name) !== before.get(name));
}

/** Returns the name of the table that a line of {@link linesOf} describes. */
function nameIn(line: string): string {
  const name = line.slice(line.indexOf("/") + 1).split("#")[0]!;
  return name.replace(/@([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Returns one line for each of the user's tables, sorted. */
function linesOf(rows: readonly Row[]): string[] {
  const lines = rows.map(([line]) => line ?? "");
  return lines.filter((line) => !line.slice(line.indexOf("/") + 1).startsWith(OURS)).sort();
}
