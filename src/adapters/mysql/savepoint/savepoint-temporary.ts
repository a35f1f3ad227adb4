import type { Connection } from "mysql2/promise";
import { cannotSavepoint } from "./savepoint-failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The temporary tables of a target. A rollback restores their rows but not their creation, so they are dropped when a branch is left. */
export class TemporaryTables {
  /** Name as it was written -> the depth of the checkpoint above which it was made. */
  readonly #tables = new Map<string, { readonly sql: string; readonly depth: number }>();
  #since = 0;
  /** The depth of the topmost checkpoint. */
  depth = 0;
  /** `true` if a temporary table was ever made: from then on the server warns of each rollback. */
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

  /** Returns `true` if the table existed at the topmost checkpoint. */
  isKept(name: string): boolean {
    const table = this.#tables.get(keyOf(name));
    return table !== undefined && table.depth < this.depth;
  }

  /** `true` if there is a table that did not exist at the topmost checkpoint. */
  get fresh(): boolean {
    return this.#since > 0 && [...this.#tables.values()].some(({ depth }) => depth >= this.depth);
  }

  /** Returns statements that drop the tables made above a checkpoint. */
  removal(depth: number): string[] {
    const gone = [...this.#tables].filter(([, table]) => table.depth >= depth);
    for (const [key] of gone) this.#tables.delete(key);
    return gone.map(([, { sql }]) => `drop temporary table if exists ${sql}`);
  }

  /** @throws SeqqaError `SAVEPOINT_HINDERED` for a table that exists at a checkpoint and whose rows no rollback restores. */
  async requirePutBack(store: StoreUrl, connection: Connection): Promise<void> {
    for (const [key, { sql }] of this.#tables) {
      let text: string;
      try {
        const [rows] = await connection.query({ sql: `show create table ${sql}`, rowsAsArray: true });
        text = (rows as unknown as string[][])[0]?.[1] ?? "";
      } catch {
        // Something that could not be seen from here removed the table.
        this.#tables.delete(key);
        continue;
      }
      const engine = /^\) ENGINE=(\w+)/m.exec(text)?.[1];
      if (engine !== undefined && engine !== "InnoDB")
        throw cannotSavepoint(
          store,
          `the temporary table ${sql} stays beyond the request and has the engine ${engine}, which does not support transactions`,
        );
    }
  }
}

function keyOf(name: string): string {
  return name.replaceAll("`", "").toLowerCase();
}
