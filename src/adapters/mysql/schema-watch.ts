import type { Control } from "./control.ts";
import { isDenied } from "./failures.ts";

/**
 * TRUNCATE and DDL fire no triggers. What makes a table anew gives it another id; the ids, and what else changes with a table, are asked for with
 * every reading of the log.
 */
export class SchemaWatch {
  /** One row of one text. */
  readonly sql: string;
  #known = "";

  private constructor(sql: string) {
    this.sql = sql;
  }

  static async open(control: Control): Promise<SchemaWatch> {
    // Names of InnoDB are written as those of files: `a-b` is `a@002db`.
    const [[prefix] = [null]] = await control.rows("select concat(hex(convert(database() using filename)), '2F')");
    const starts = `left(name, ${(prefix ?? "").length / 2}) = convert(x'${prefix ?? ""}' using utf8mb4)`;
    const columns = "group_concat(concat_ws('#', name, table_id, n_cols) order by name separator '\\n')";
    const ways = [
      `select ${columns} from information_schema.innodb_sys_tables where ${starts}`,
      // MySQL 8.
      `select ${columns} from information_schema.innodb_tables where ${starts}`,
      // Without the PROCESS privilege: to the second.
      "select group_concat(concat_ws('#', table_name, create_time) order by table_name separator '\\n') from information_schema.tables where table_schema = database() and table_type <> 'VIEW'",
    ];
    for (const sql of ways) {
      try {
        const watch = new SchemaWatch(sql);
        await watch.take(control);
        return watch;
      } catch (error) {
        // No such table in this server, or not for us.
        if (!isDenied(error) && (error as { errno?: number }).errno !== 1109) throw error;
      }
    }
    throw new TypeError("information_schema.tables cannot be read.");
  }

  /** Takes the present schema as the one that is known. */
  async take(control: Control): Promise<void> {
    this.#known = (await control.rows(this.sql))[0]?.[0] ?? "";
  }

  /** The table that was made, removed, truncated or altered since; `undefined`: none. */
  difference(now: string): string | undefined {
    if (now === this.#known) return undefined;
    const [before, after] = [this.#known.split("\n"), now.split("\n")];
    const line = after.find((one) => !before.includes(one)) ?? before.find((one) => !after.includes(one)) ?? "";
    const name = line.slice(line.indexOf("/") + 1).split("#")[0]!;
    return `Table "${name.replace(/@([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))}"`;
  }
}
