import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { SqliteAdapter, type SqliteAdapterOptions } from "../../src/adapters/sqlite/index.ts";
import type { Checkpoint, StoreScope } from "../../src/model/stores/store-adapter.ts";
import { atEnd } from "./at-end.ts";

let directory: string | undefined;
let files = 0;

export function scratchFile(): string {
  return join(scratchDirectory(), `${files++}.db`);
}

/** Returns the folder for the databases of the running test file. It is removed after the tests of the file. */
export function scratchDirectory(): string {
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), "seqqa-sqlite-"));
    directory = made;
    atEnd(() => {
      directory = undefined;
      rmSync(made, { recursive: true, force: true });
    });
  }
  return directory;
}

/** Opens the API's own connection, with the settings that an API would use. */
export function api(file: string, ...statements: readonly string[]): Database.Database {
  const db = new Database(file, { timeout: 1000 });
  atEnd(() => db.close());
  db.pragma("journal_mode = wal");
  db.pragma("foreign_keys = on");
  for (const sql of statements) db.exec(sql);
  return db;
}

export const SCOPE: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

export async function openAdapter(
  file: string,
  options: Partial<SqliteAdapterOptions> = {},
  scope: Partial<StoreScope> = {},
): Promise<SqliteAdapter> {
  const adapter = new SqliteAdapter({ file, ...options });
  atEnd(() => adapter.close());
  await adapter.open({ ...SCOPE, ...scope });
  return adapter;
}

/** A store with a checkpoint of its root state. */
export interface Rooted {
  readonly db: Database.Database;
  readonly adapter: SqliteAdapter;
  readonly file: string;
  readonly dump: string;
  readonly mark: Checkpoint;
}

export async function rooted(
  schema: readonly string[],
  options: Partial<SqliteAdapterOptions> = {},
  scope: Partial<StoreScope> = {},
): Promise<Rooted> {
  const file = scratchFile();
  const db = api(file, ...schema);
  const adapter = await openAdapter(file, options, scope);
  await adapter.root();
  return { db, adapter, file, dump: await adapter.dump(), mark: await adapter.mark() };
}
