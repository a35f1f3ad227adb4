export { cloneSqliteFile } from "./copy/clone-file.ts";
export { SqliteAdapter, type SqliteAdapterOptions } from "./sqlite-adapter.ts";
export { sqlitePath } from "./connect/sqlite-path.ts";
export { stores } from "./provider/stores.ts";
