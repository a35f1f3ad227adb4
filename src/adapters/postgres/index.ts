export type { QueryRow } from "./connect/mode.ts";
export { PostgresAdapter, type PostgresAdapterOptions } from "./postgres-adapter.ts";
export { stores } from "./provider/stores.ts";
