import type { Connection } from "mysql2/promise";
import { cannotSavepoint } from "./savepoint-failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The temporary tables of a target: a rollback takes back their rows and not their making, so they are dropped when a branch is left. */
export class TemporaryTables {
  /** Name as it was written -> the depth of the mark above which it was made. */
  readonly #tables = new Map<string, { readonly sql: string; readonly depth: number }>();
  #since = 0;
  /** Of the topmost mark. */
  depth = 0;
  /** Whether one was ever made: from then on the server warns of each rollback. */
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

  /** Whether it stood there at the topmost mark. */
  isKept(name: string): boolean {
    const table = this.#tables.get(keyOf(name));
    return table !== undefined && table.depth < this.depth;
  }

  /** Whether there is one that the topmost mark does not know. */
  get fresh(): boolean {
    return this.#since > 0 && [...this.#tables.values()].some(({ depth }) => depth >= this.depth);
  }

  /** What takes away those that were made above a mark. */
  removal(depth: number): string[] {
    const gone = [...this.#tables].filter(([, table]) => table.depth >= depth);
    for (const [key] of gone) this.#tables.delete(key);
    return gone.map(([, { sql }]) => `drop temporary table if exists ${sql}`);
  }

  /** @throws SeqqaError `SAVEPOINT_HINDERED` for one that is there at a mark and whose rows no rollback brings back. */
  async requirePutBack(store: StoreUrl, connection: Connection): Promise<void> {
    for (const [key, { sql }] of this.#tables) {
      let text: string;
      try {
        const [rows] = await connection.query({ sql: `show create table ${sql}`, rowsAsArray: true });
        text = (rows as unknown as string[][])[0]?.[1] ?? "";
      } catch {
        // It went with something that was not seen from here.
        this.#tables.delete(key);
        continue;
      }
      const engine = /^\) ENGINE=(\w+)/m.exec(text)?.[1];
      if (engine !== undefined && engine !== "InnoDB")
        throw cannotSavepoint(
          store,
          `the temporary table ${sql} stays beyond the request and has the engine ${engine}, which knows no transactions`,
        );
    }
  }
}

function keyOf(name: string): string {
  return name.replaceAll("`", "").toLowerCase();
}
