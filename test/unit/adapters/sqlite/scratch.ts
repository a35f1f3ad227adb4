import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll } from "vitest";
import { SqliteAdapter, type SqliteAdapterOptions } from "../../../../src/adapters/sqlite/index.ts";
import type { Mark, SystemScope } from "../../../../src/model/system.ts";

const directory = mkdtempSync(join(tmpdir(), "seqqa-sqlite-"));
const opened: { close(): unknown }[] = [];
let files = 0;
afterAll(async () => {
  for (const one of opened) await one.close();
  rmSync(directory, { recursive: true, force: true });
});

export function scratchFile(): string {
  return join(directory, `${files++}.db`);
}

export function scratchDirectory(): string {
  return directory;
}

/** The API's own connection; on it everything is as an API would have it. */
export function api(file: string, ...statements: readonly string[]): Database.Database {
  const db = new Database(file, { timeout: 1000 });
  opened.push(db);
  db.pragma("journal_mode = wal");
  db.pragma("foreign_keys = on");
  for (const sql of statements) db.exec(sql);
  return db;
}

export const SCOPE: SystemScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

export async function openAdapter(
  file: string,
  options: Partial<SqliteAdapterOptions> = {},
  scope: Partial<SystemScope> = {},
): Promise<SqliteAdapter> {
  const adapter = new SqliteAdapter({ file, ...options });
  opened.push(adapter);
  await adapter.open({ ...SCOPE, ...scope });
  return adapter;
}

/** A store with a mark at its root. */
export interface Rooted {
  readonly db: Database.Database;
  readonly adapter: SqliteAdapter;
  readonly file: string;
  readonly dump: string;
  readonly mark: Mark;
}

export async function rooted(
  schema: readonly string[],
  options: Partial<SqliteAdapterOptions> = {},
  scope: Partial<SystemScope> = {},
): Promise<Rooted> {
  const file = scratchFile();
  const db = api(file, ...schema);
  const adapter = await openAdapter(file, options, scope);
  await adapter.root();
  return { db, adapter, file, dump: await adapter.dump(), mark: await adapter.mark() };
}
