export type { QueryRow } from "./mode.ts";
export { PostgresAdapter, type PostgresAdapterOptions } from "./postgres-adapter.ts";
export { stores } from "./stores.ts";
