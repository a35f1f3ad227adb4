import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorld } from "seqqa/testing";
import { mysql, postgres, redis } from "../test/support/services/kinds.ts";
import { find, type Service } from "../test/support/services/service.ts";
import { full, median, type Row } from "./support/row.ts";
import { mysqlKind, postgresKind, redisKind, ROWS, sqliteKind, TABLES, type Kind } from "./testing/kinds.ts";

/** Number of tests for each way of resetting a store. Slow ways get a fiftieth of it. */
const TESTS = full ? 1000 : 200;

/**
 * Measures the milliseconds between two tests: seqqa's checkpoint and restore, compared with the usual ways of resetting a store. A new server for
 * each test represents Testcontainers, whose container also has to start, because this machine has no Docker.
 */
export default async function testing(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-bench-testing-"));
  try {
    const rows = [...(await measured(sqliteKind(folder)))];
    for (const [service, kind] of [[postgres, postgresKind], [mysql, mysqlKind], [redis, redisKind]] as const) {
      const server = await find(service, { running: false });
      if (server.kind === "missing") throw new Error(server.problem);
      try {
        rows.push(...(await measured(kind(server.url))));
      } finally {
        await server.stop();
      }
      rows.push(await freshServers(service));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} // prettier-ignore

async function measured(kind: Kind): Promise<readonly Row[]> {
  const { name, url, aimMs, empty, fill, around, template } = kind;
  await kind.prepare();
  const rows = [await worldRow(kind)];
  const client = await kind.client(url);
  const write = async (): Promise<void> => {
    for (const statement of kind.writes) await client.run(statement);
  };
  const refill = async (): Promise<void> => {
    for (const statement of [...empty, ...fill]) await client.run(statement);
  };
  rows.push({
    name: `${name}, empty and fill again`,
    ...(await each(TESTS, write, refill)),
    note: `${TABLES.length} tables of ${ROWS} rows`,
  });
  if (around !== undefined) {
    const [begin, end] = around;
    const both = await each(TESTS, async () => { await client.run(begin); await write(); }, () => client.run(end)); // prettier-ignore
    rows.push({ name: `${name}, transaction around`, ...both, note: "rollback; only for a test on the application's one connection" });
  }
  await client.end();
  if (template !== undefined) {
    const made = await each(Math.ceil(TESTS / 50), async () => undefined, template.make);
    rows.push({ name: `${name}, ${template.what}`, ...made, note: "connections of the application not counted" });
  }
  return rows.map((row, i) => (i === 0 ? { ...row, note: `${row.note}; aim ${aimMs} ms` } : row));
}

async function worldRow({ name, url, client: connect, writes }: Kind): Promise<Row> {
  const start = performance.now();
  const world = await openWorld({ dbUrl: url });
  const openedMs = performance.now() - start;
  const client = await connect(world.dbUrl);
  const times: number[] = [];
  for (let i = 0; i < TESTS; i++) {
    const before = performance.now();
    const checkpoint = await world.checkpoint();
    const taken = performance.now() - before;
    for (const statement of writes) await client.run(statement);
    const after = performance.now();
    await checkpoint[Symbol.asyncDispose]();
    times.push(taken + performance.now() - after);
  }
  await client.end();
  await world.close();
  return {
    name: `${name}, seqqa`,
    value: median(times),
    unit: "ms",
    note: `checkpoint and restore of ${TESTS}; opened in ${openedMs.toFixed(0)} ms`,
  };
}

async function each(count: number, test: () => Promise<unknown>, reset: () => Promise<unknown>): Promise<Pick<Row, "value" | "unit">> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    await test();
    const start = performance.now();
    await reset();
    times.push(performance.now() - start);
  }
  return { value: median(times), unit: "ms" };
}

async function freshServers(service: Service): Promise<Row> {
  const count = full ? 10 : 3;
  const time = await each(count, async () => undefined, async () => {
    const server = await find(service, { running: false });
    if (server.kind === "found") await server.stop();
  }); // prettier-ignore
  return {
    name: `${service.name}, fresh server`,
    ...time,
    note: "started and stopped, data in memory; stands for Testcontainers, no Docker engine here",
  };
}
