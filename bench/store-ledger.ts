import { mysql, postgres, redis } from "../test/support/services/kinds.ts";
import { find } from "../test/support/services/service.ts";
import type { MeasuredSide } from "./peers/measured-side.ts";
import { emptyTemplate, type Kind } from "./store-ledger/template.ts";
import { answerOf } from "./support/answer-of.ts";
import { exploreCleanly } from "./support/explore.ts";
import { rate, type Measured } from "./support/job.ts";
import { full, median, type Row } from "./support/row.ts";

const ROUNDS = full ? 3 : 1;
/** With fewer steps, the cross-checks of the first nodes would be a large part of the measured time. */
const STEPS = full ? 6000 : 4000;
const LANES = [1, 2, 4] as const;
const STORES = [
  ["postgres", "PostgreSQL", postgres],
  ["mysql", "MariaDB", mysql],
  ["redis", "Redis", redis],
] as const;
/** The stores to measure. `STORES=redis npm run bench -- store-ledger` measures only some of them. */
const wanted = (process.env["STORES"] ?? "postgres,mysql,redis").split(",");

/**
 * Explores the ledger over HTTP on PostgreSQL, MariaDB and Redis, with 1, 2 and 4 lanes, each with its own server process and store. For comparison,
 * bare loops make the same requests and send only the indispensable statements. Two bare loops at the same time show how much a second lane can gain
 * on this machine. Every run is in a new process. Every second round has the reverse order.
 */
export default async function storeLedger(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [kind, name, service] of STORES) {
    if (!wanted.includes(kind)) continue;
    const server = await find(service);
    if (server.kind === "missing") throw new Error(server.problem);
    const template = await emptyTemplate(kind, server.url);
    try {
      rows.push(...(await measured(kind, name, server.url, template.url)));
    } finally {
      await template.remove();
      await server.stop();
    }
  }
  return rows;
}

async function measured(kind: Kind, name: string, server: string, template: string): Promise<readonly Row[]> {
  const engine = new Map<number, Measured[]>(LANES.map((lanes) => [lanes, []]));
  const bare = new Map<number, number[]>([
    [1, []],
    [2, []],
  ]);
  for (let round = 0; round < ROUNDS; round++) {
    const order = [
      ...LANES.map((lanes) => async () => void engine.get(lanes)!.push(await explored(template, lanes))),
      ...[1, 2].map((loops) => async () => void bare.get(loops)!.push(await bareLoops(kind, server, loops))),
    ];
    for (const measure of round % 2 === 0 ? order : order.reverse()) await measure();
  }
  const perSecond = new Map(LANES.map((lanes) => [lanes, median(engine.get(lanes)!.map(rate))]));
  const [one, two] = [median(bare.get(1)!), median(bare.get(2)!)];
  return [
    ...LANES.map((lanes): Row => {
      const [{ steps, replayed, crossChecked }] = engine.get(lanes) as [Measured];
      return {
        name: `${name}, ${lanes === 1 ? "1 lane" : `${lanes} lanes`}`,
        value: perSecond.get(lanes)!,
        unit: "steps/s",
        note: `${(replayed / steps).toFixed(3)} replayed and ${(crossChecked / steps).toFixed(3)} cross-checked per step, of ${steps} steps`,
      };
    }),
    { name: `${name}, bare loop`, value: one, unit: "steps/s" },
    {
      name: `${name}, 1 lane to bare loop`,
      value: median(engine.get(1)!.map(requestRate)) / one,
      unit: "ratio",
      note: `at least 0.85; both by the requests they make: without cross-checks, which the loop has not, ${(perSecond.get(1)! / one).toFixed(2)}`,
    },
    {
      name: `${name}, 2 lanes to 1`,
      value: perSecond.get(2)! / perSecond.get(1)!,
      unit: "ratio",
      note: `at least 1.6 where CPU is free; 2 bare loops to 1: ${(two / one).toFixed(2)}`,
    },
    { name: `${name}, 4 lanes to 1`, value: perSecond.get(4)! / perSecond.get(1)!, unit: "ratio" },
  ];
}

/** Returns the executions per second, including cross-checks. Each of them costs the engine as many requests as a step costs the bare loop. */
function requestRate({ steps, crossChecked, exploringMs }: Measured): number {
  return ((steps + crossChecked) / exploringMs) * 1000;
}

function explored(template: string, lanes: number): Promise<Measured> {
  const job = { agent: "fixtures/ledger/ledger.explore.ts", config: "fixtures/ledger/store.yaml", lanes, maxSteps: STEPS };
  return exploreCleanly({ ...job, env: { STORE_URL: template } });
}

/** Returns the sum of the steps per second of loops that run at the same time, each with its own process, server and store. */
async function bareLoops(kind: Kind, server: string, loops: number): Promise<number> {
  const one = (): Promise<MeasuredSide> =>
    answerOf<MeasuredSide>(new URL("bare-store-process.mjs", import.meta.url), [kind, server, String(STEPS)]);
  const measured = await Promise.all(Array.from({ length: loops }, one));
  return measured.reduce((sum, { steps, ms }) => sum + (steps / ms) * 1000, 0);
}
