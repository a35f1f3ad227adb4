export { cloneSqliteFile } from "./clone-file.ts";
export { SqliteAdapter, type SqliteAdapterOptions } from "./sqlite-adapter.ts";
export { sqlitePath } from "./sqlite-path.ts";
export { stores } from "./stores.ts";
