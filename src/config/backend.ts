import type { Backend } from "./config.ts";

const BACKENDS: Readonly<Record<string, Backend>> = {
  sqlite: "sqlite",
  postgres: "postgres",
  postgresql: "postgres",
  mysql: "mysql",
  mariadb: "mysql",
  redis: "redis",
  rediss: "redis",
};

/** The checkpoints that each store's adapter supports. */
export const CHECKPOINTS: Readonly<Record<Backend, readonly string[]>> = {
  sqlite: ["auto", "journal", "copy", "savepoint"],
  postgres: ["auto", "journal", "savepoint", "clone"],
  mysql: ["auto", "journal", "savepoint", "copy"],
  redis: ["auto", "dump"],
};

/** Returns the kind of store that a checked URL leads to. */
export function backendOf(url: string): Backend {
  return BACKENDS[url.slice(0, url.indexOf(":")).toLowerCase()] ?? "sqlite";
}
