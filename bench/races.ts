import { fork } from "node:child_process";
import { join } from "node:path";
import { HttpClient } from "../src/adapters/http/index.ts";
import { choosePoints, type DeliveryPoint } from "../src/adapters/http/delivery/index.ts";
import { exploreCleanly } from "./support/explore.ts";
import { full, median, type Row } from "./support/row.ts";

const TRIALS = full ? 400 : 100;
/** Microseconds between the read and the write of the server's handler; 0 is one turn of its event loop. */
const GAPS = [0, 200, 1000];
/** The delay of the second request in the control arm, in milliseconds. */
const STAGGER_MS = 50;

/** The number of steps that expand the ledger's first 500 states. */
const FIRST_STATES = 500 * 13;

export default async function races(): Promise<readonly Row[]> {
  return [...(await lostUpdates()), await cost()];
}

/** Measures the time of probing the first states of the ledger for races, relative to the time of exploring them, on one lane. */
async function cost(): Promise<Row> {
  const ratios: number[] = [];
  let note = "";
  for (let round = 0; round < 3; round++) {
    const { raceCoverage, exploringMs } = await exploreCleanly({
      agent: "fixtures/ledger/ledger.explore.ts",
      config: "fixtures/ledger/seqqa.yaml",
      maxSteps: FIRST_STATES,
      env: { SEQQA_EXPLORATION_RACES: "pairs" },
    });
    const { probed, trials, durationMs, pairs } = raceCoverage!;
    ratios.push(durationMs / exploringMs);
    note = `${probed} kinds of ${pairs} pairs, ${trials} trials in ${(durationMs / 1000).toFixed(1)} s; exploring took ${(exploringMs / 1000).toFixed(1)} s`;
  }
  return { name: "probing the ledger's first 500 states", value: median(ratios), unit: "times their exploration", note };
}

/** Measures how often two requests that are sent to meet cause a lost update in a Node server in its own process. */
async function lostUpdates(): Promise<readonly Row[]> {
  const child = fork(join(process.env["SEQQA_ROOT"] ?? "", "bench/races/server.mjs"));
  const [http, h2c] = await new Promise<[number, number]>((resolve) => child.once("message", (ports: [number, number]) => resolve(ports)));
  const [plainOrigin, http2Origin] = [`http://127.0.0.1:${http}`, `http://127.0.0.1:${h2c}`];
  const control = new HttpClient(plainOrigin);
  const rows: Row[] = [];
  for (const delivery of ["plain", "last_byte", "pipelined", "http2"] as const) {
    const origin = delivery === "http2" ? http2Origin : plainOrigin;
    const points = await choosePoints({ key: origin, origin, ca: [], proxied: false });
    const point = points.point(delivery)!;
    for (const gap of GAPS) {
      const { lost, overlapped, ms } = await measured(point, origin, control, gap, 0, TRIALS);
      const note = `${TRIALS} trials of ${ms.toFixed(1)} ms, ${percent(overlapped, TRIALS).toFixed(0)} % overlapped`;
      rows.push({
        name: `${delivery}, gap ${gap === 0 ? "a turn" : `${gap} us`}`,
        value: percent(lost, TRIALS),
        unit: "% lost updates",
        note,
      });
    }
    const trials = TRIALS / 4;
    const { lost } = await measured(point, origin, control, 200, STAGGER_MS, trials);
    rows.push({
      name: `${delivery}, ${STAGGER_MS} ms apart`,
      value: percent(lost, trials),
      unit: "% lost updates",
      note: `${trials} trials`,
    });
    await points.close();
  }
  await control.close();
  child.disconnect();
  return rows;
}

async function measured(
  point: DeliveryPoint,
  origin: string,
  control: HttpClient,
  gap: number,
  apart: number,
  trials: number,
): Promise<{ readonly lost: number; readonly overlapped: number; readonly ms: number }> {
  const [method, path, body, timeoutMs] = ["POST", "/add", '{"amount":1}', 10_000] as const;
  const headers = { "content-type": "application/json", "x-gap": String(gap) };
  let [lost, overlapped, took] = [0, 0, 0];
  for (let trial = 0; trial < trials; trial++) {
    await control.post("/reset");
    const start = performance.now();
    const meeting = point.begin({ sides: 2, meetAt: [0, 0], offsets: [0, apart] });
    const wire = { method, path, url: origin + path, headers, body, timeoutMs };
    await Promise.all([0, 1].map((side) => meeting.send(side, wire, () => Promise.reject(new Error("not held")))));
    took += performance.now() - start;
    const [a, b] = meeting.intervals;
    if (a !== undefined && b !== undefined && a.from < b.to && b.from < a.to) overlapped++;
    if ((await control.get("/balance")).text !== "2") lost++;
  }
  return { lost, overlapped, ms: took / trials };
}

function percent(part: number, whole: number): number {
  return (100 * part) / whole;
}
