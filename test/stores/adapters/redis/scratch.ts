import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll } from "vitest";
import { afterEveryTest } from "../../../support/at-end.ts";
import { RedisAdapter, type RedisAdapterOptions } from "../../../../src/adapters/redis/index.ts";
import type { Observed, StoreScope } from "../../../../src/model/stores/store-adapter.ts";
import { redis } from "../../../support/services/kinds.ts";
import { find, type Found } from "../../../support/services/service.ts";

/** A redis-server of one test file's own: tests flush it and change its settings. Empty after every test. */
export function ownServer(): { url: (db?: number) => string; client: (db?: number) => Redis } {
  let server: Found | undefined;
  const clients: Redis[] = [];
  const base = (): string => (server?.kind === "found" ? server.url : "");
  const client = (db = 0): Redis => {
    const one = new Redis(`${base()}/${db}`, { protocol: 2 });
    clients.push(one);
    return one;
  };
  beforeAll(async () => {
    server = await find(redis, { running: false });
    if (server.kind === "missing") throw new Error(server.problem);
  });
  afterEach(async () => {
    for (const one of clients.splice(0)) one.disconnect();
    const one = client();
    await one.flushall();
    await one.config("SET", "notify-keyspace-events", "");
    for (const one of clients.splice(0)) one.disconnect();
  });
  afterAll(() => (server?.kind === "found" ? server.stop() : undefined));
  return { url: (db = 0) => `${base()}/${db}`, client };
}

const opened: RedisAdapter[] = [];
afterEveryTest(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => undefined);
});

/** An open adapter; closed after the test. */
export async function openAdapter(options: RedisAdapterOptions, scope: Partial<StoreScope> = {}): Promise<RedisAdapter> {
  const system = new RedisAdapter(options);
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false, ...scope });
  opened.push(system);
  return system;
}

/** Rows as text, sorted: `+ hash ["a","b","c"]`. */
export function rows(observed: Observed): string[] {
  if (observed.kind !== "rows") throw new Error("not rows");
  const show = (row: readonly unknown[]): string =>
    JSON.stringify(row, (_key, one: unknown) => (one instanceof Uint8Array ? `bytes ${Buffer.from(one).toString("hex")}` : one));
  return observed.tables
    .flatMap((table) => [
      ...table.added.map((row) => `+ ${table.name} ${show(row)}`),
      ...table.removed.map((row) => `- ${table.name} ${show(row)}`),
    ])
    .sort();
}
