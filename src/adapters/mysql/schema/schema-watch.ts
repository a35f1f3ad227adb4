import { OURS } from "./catalog.ts";
import type { Control, Row } from "../connect/control.ts";
import { errnoOf, isDenied } from "../connect/failures.ts";
import { exactly, named, quoteName } from "../connect/sql-text.ts";

/** The largest part of the time that looking at definitions may take, and the shortest pause between two looks. */
const PART = 0.01;
const PAUSE_MS = 50;
const NO_TABLE = 1146;

/**
 * Notices changes of the schema. TRUNCATE and DDL fire no triggers. A table that is created again has another id; the ids, and what else changes with
 * a table, are asked for with every reading of the log. A change in place (an index, a column's type, name or default) keeps the id. It is seen by
 * the tables' definitions, which are looked at now and then, with those of triggers, routines, views and events. Nothing restores DDL, so that what
 * is missed now is seen later.
 */
export class SchemaWatch {
  /** A query for one row of text per table, in any order: to have the server put them together costs four times as much. */
  readonly sql: string;
  #known: readonly string[] = [];
  #definitions: ReadonlyMap<string, string> = new Map();
  #objects: ReadonlyMap<string, string> = new Map();
  #next = 0;

  private constructor(sql: string) {
    this.sql = sql;
  }

  static async open(control: Control): Promise<SchemaWatch> {
    // InnoDB writes names like those of files: `a-b` is `a@002db`.
    const [[folder] = [null]] = await control.rows("select convert(convert(database() using filename) using binary)");
    const prefix = `${folder ?? ""}/`;
    const starts = exactly(`left(name, ${prefix.length})`, prefix);
    const columns = "concat_ws('#', name, table_id, n_cols)";
    const ways = [
      `select ${columns} from information_schema.innodb_sys_tables where ${starts}`,
      // MySQL 8.
      `select ${columns} from information_schema.innodb_tables where ${starts}`,
      // Without the PROCESS privilege: the creation time, to the second.
      `select concat_ws('#', table_name, create_time) from information_schema.tables where ${named("table_schema", control.store.database)} and table_type <> 'VIEW'`,
    ];
    for (const sql of ways) {
      try {
        const watch = new SchemaWatch(sql);
        await watch.take(control);
        return watch;
      } catch (error) {
        // The server has no such table, or we may not read it.
        if (!isDenied(error) && (error as { errno?: number }).errno !== 1109) throw error;
      }
    }
    throw new TypeError("information_schema.tables cannot be read.");
  }

  /** Makes the present schema the known one. */
  async take(control: Control): Promise<void> {
    this.#known = linesOf(await control.rows(this.sql));
    const names = await control.rows(
      `select table_name from information_schema.tables where ${named("table_schema", control.store.database)} and table_type <> 'VIEW'`,
    );
    this.#definitions = new Map(names.map(([name]) => [name!, ""] as const).filter(([name]) => !name.startsWith(OURS)));
    [this.#definitions, this.#objects] = await this.#read(control);
  }

  /** Returns the table, trigger, routine, view or event whose definition has changed. Looks only when it is time to, unless `now`. */
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

  /** The known schema, in the form that {@link difference} takes. */
  get reading(): Row[] {
    return this.#known.map((line) => [line]);
  }

  /** Returns the table that was created, removed, truncated or altered before a reading; `undefined`: none. */
  difference(reading: readonly Row[]): string | undefined {
    const [before, after] = [this.#known, linesOf(reading)];
    if (after.length === before.length && after.every((one, i) => one === before[i])) return undefined;
    const line = after.find((one) => !before.includes(one)) ?? before.find((one) => !after.includes(one)) ?? "";
    const name = line.slice(line.indexOf("/") + 1).split("#")[0]!;
    return `Table "${name.replace(/@([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))}"`;
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

/** Returns the objects of a schema beside tables, with a digest of each. A trigger that is made later would fire when rows are restored. */
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
      // A function and a procedure may have one name.
      objects.set(key, `${objects.get(key) ?? ""}${digest ?? ""}`);
    }
  });
  return objects;
}

/** Returns the name whose text differs in two maps. */
function differing(now: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): string | undefined {
  return [...now.keys(), ...before.keys()].find((name) => now.get(name) !== before.get(name));
}

/** Returns the lines of the user's tables. */
function linesOf(rows: readonly Row[]): string[] {
  const lines = rows.map(([line]) => line ?? "");
  return lines.filter((line) => !line.slice(line.indexOf("/") + 1).startsWith(OURS)).sort();
}
