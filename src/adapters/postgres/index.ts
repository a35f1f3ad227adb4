export type { PostgresAdapterOptions } from "./postgres-adapter.ts";
