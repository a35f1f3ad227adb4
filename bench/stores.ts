import { isPromise, type Awaitable } from "../src/model/stores/store-adapter.ts";
import { mysql, postgres } from "../test/support/services/kinds.ts";
import { find } from "../test/support/services/service.ts";
import type { Bed, Mode } from "./stores/bed.ts";
import { mysqlModes } from "./stores/mysql.ts";
import { postgresModes } from "./stores/postgres.ts";
import { redisModes } from "./stores/redis.ts";
import { sqliteModes } from "./stores/sqlite.ts";
import { full, median, type Row } from "./support/row.ts";

/**
 * `COMPARED`: number of cycles of checkpoint, changes and restore that are compared with bare statements. `LASTING`: number of cycles in which log
 * and tables must not grow.
 */
const COMPARED = { fast: full ? 3000 : 300, whole: full ? 60 : 10 };
const LASTING = { fast: full ? 100_000 : 2500, whole: full ? 200 : 10 };

/** Measures the checkpoint and restore of five changed rows: each checkpoint mode compared with bare statements, and over many cycles. */
export default async function stores(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const mode of sqliteModes) rows.push(...(await measured(mode)));
  for (const [service, modes] of [
    [postgres, postgresModes],
    [mysql, mysqlModes],
  ] as const) {
    const server = await find(service);
    if (server.kind === "missing") throw new Error(server.problem);
    try {
      for (const mode of modes(server.url)) rows.push(...(await measured(mode)));
    } finally {
      await server.stop();
    }
  }
  for (const mode of redisModes) rows.push(...(await measured(mode)));
  return rows;
}

async function measured({ name, whole = false, open }: Mode): Promise<readonly Row[]> {
  const size = whole ? "whole" : "fast";
  const bed = await open();
  try {
    const own = ofSystem(bed);
    await cycles(own, Math.ceil(COMPARED[size] / 5));
    await cycles(bed.bare, Math.ceil(COMPARED[size] / 5));
    const dump = await bed.system.dump();
    // The two sides run alternately, so that disturbances of the machine affect both.
    const [ours, theirs]: number[][] = [[], []];
    for (let round = 0; round < 10; round++) {
      ours!.push(...(await cycles(own, Math.ceil(COMPARED[size] / 10))));
      theirs!.push(...(await cycles(bed.bare, Math.ceil(COMPARED[size] / 10))));
    }
    const lasting = await cycles(own, LASTING[size]);
    if ((await bed.system.dump()) !== dump) throw new Error(`${name}: not put back`);
    const tenth = Math.ceil(lasting.length / 10);
    const [first, last] = [median(lasting.slice(0, tenth)), median(lasting.slice(-tenth))];
    const sizes = await bed.sizes();
    return [
      { name, value: median(ours!), unit: "us", note: `mark and put-back; bare statements ${median(theirs!).toPrecision(3)} us` },
      { name: `${name}, to bare`, value: median(ours!) / median(theirs!), unit: "ratio", note: "at most 1.3" },
      { name: `${name}, last tenth to first`, value: last / first, unit: "ratio", note: `of ${lasting.length} cycles` },
      ...sizes.map((row) => ({ ...row, name: `${name}, ${row.name}`, note: row.note ?? "after them" })),
    ];
  } finally {
    await bed.close();
  }
}

function ofSystem({ system, branch }: Bed): Bed["bare"] {
  let mark: unknown;
  const keep = (taken: unknown): void => void (mark = taken);
  return {
    mark: () => {
      const taken = system.mark();
      return isPromise(taken) ? taken.then(keep) : keep(taken);
    },
    branch,
    restore: () => system.restore(mark),
  };
}

/** Returns the time of checkpoint and restore in each cycle, in microseconds. The time of the changes in between is not included. */
async function cycles(one: Bed["bare"], count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const marking = await timed(one.mark);
    await one.branch();
    times.push(marking + (await timed(one.restore)));
  }
  return times;
}

function timed(work: () => Awaitable<unknown>): Awaitable<number> {
  const start = performance.now();
  const done = work();
  return isPromise(done) ? done.then(() => since(start)) : since(start);
}

const since = (start: number): number => (performance.now() - start) * 1000;
