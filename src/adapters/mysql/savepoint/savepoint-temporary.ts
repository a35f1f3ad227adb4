import type { Connection } from "mysql2/promise";
import { cannotSavepoint } from "./savepoint-failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/**
 * The target's temporary tables. A rollback restores their rows, but does not drop new tables. A restore therefore drops the tables that were created
 * since the checkpoint.
 */
export class TemporaryTables {
  /** For each temporary table: its name as written in SQL, and the number of checkpoints that existed when it was created. */
  readonly #tables = new Map<string, { readonly sql: string; readonly depth: number }>();
  #since = 0;
  depth = 0;
  /** `true` if the target has ever created a temporary table. In this case, the server adds a warning to every rollback. */
  any = false;

  has(name: string): boolean {
    return this.#tables.has(keyOf(name));
  }

  made(name: string): void {
    this.any = true;
    if (this.has(name)) return;
    this.#tables.set(keyOf(name), { sql: name, depth: this.depth });
    this.#since++;
  }

  gone(names: readonly string[]): void {
    for (const name of names) this.#tables.delete(keyOf(name));
  }

  isKept(name: string): boolean {
    const table = this.#tables.get(keyOf(name));
    return table !== undefined && table.depth < this.depth;
  }

  /** `true` if the target created a temporary table after the newest checkpoint. */
  get fresh(): boolean {
    return this.#since > 0 && [...this.#tables.values()].some(({ depth }) => depth >= this.depth);
  }

  removal(depth: number): string[] {
    const gone = [...this.#tables].filter(([, table]) => table.depth >= depth);
    for (const [key] of gone) this.#tables.delete(key);
    return gone.map(([, { sql }]) => `drop temporary table if exists ${sql}`);
  }

  /**
   * Checks the temporary tables before a checkpoint is made.
   *
   * @throws SeqqaError `SAVEPOINT_HINDERED` if there is a temporary table whose rows a rollback cannot restore
   */
  async requirePutBack(store: StoreUrl, connection: Connection): Promise<void> {
    for (const [key, { sql }] of this.#tables) {
      let text: string;
      try {
        const [rows] = await connection.query({ sql: `show create table ${sql}`, rowsAsArray: true });
        text = (rows as unknown as string[][])[0]?.[1] ?? "";
      } catch {
        // The target dropped the table with a statement that seqqa cannot parse, for example in a procedure.
        this.#tables.delete(key);
        continue;
      }
      const engine = /^\) ENGINE=(\w+)/m.exec(text)?.[1];
      if (engine !== undefined && engine !== "InnoDB")
        throw cannotSavepoint(
          store,
          `the target keeps the temporary table ${sql} after a request, and its engine ${engine} does not support transactions`,
        );
    }
  }
}

function keyOf(name: string): string {
  return name.replaceAll("`", "").toLowerCase();
}
