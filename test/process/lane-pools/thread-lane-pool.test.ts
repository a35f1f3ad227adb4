import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { ThreadLanePool } from "../../../src/lane-pools/threads/thread-lane-pool.ts";
import type { LaneSpec } from "../../../src/targets/lanes/lane-spec.ts";
import { host, HTTP } from "../../contract/lane-pool/ledger-lanes.ts";
import { laneOptions } from "../../support/lane-parts.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-threads-"));
const comlink = pathToFileURL(createRequire(import.meta.url).resolve("comlink")).href;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let pool: ThreadLanePool | undefined;
afterEach(() => pool?.close().catch(() => undefined));

/** A pool whose one thread runs `channel` instead of a lane. `words` is the memory of the lane's heartbeat; see `LaneControl`. */
async function poolOf(channel: string, hangMs: number, used = host): Promise<ThreadLanePool> {
  const file = join(folder, `${Math.random()}.mjs`);
  writeFileSync(
    file,
    `import comlink from ${JSON.stringify(comlink)};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const done = (value) => ({ kind: "done", value });
const [BEAT, RESTORING] = [1, 5];
export default async ({ port, control }) => {
  const words = new Int32Array(control);
  comlink.expose({ close: async () => done(), ${channel} }, port);
  return done({});
};`,
  );
  const options = { lanes: 1, depth: 1, host: used, bundle: "", exportName: "", options: laneOptions(), http: HTTP, setUp: false };
  pool = new ThreadLanePool({ ...options, hangMs, workerUrl: pathToFileURL(file) });
  await pool.start();
  return pool;
}

describe("the time limit of calls to a thread", () => {
  it("is extended by each heartbeat", async () => {
    const busy = "calibrate: async () => { for (let i = 0; i < 12; i++) { await sleep(50); words[BEAT]++; } return done('found'); }";
    expect(await (await poolOf(busy, 250)).calibrate()).toBe("found");
  });

  it("ends a call of a lane without heartbeats", async () => {
    const silent = await poolOf("calibrate: () => sleep(60_000)", 250);
    await expect(silent.calibrate()).rejects.toMatchObject({ code: "LANE_SILENT" });
  });

  it("does not end a thread that restores a store of the user", async () => {
    const slow = "close: async () => { words[RESTORING] = 1; await sleep(700); words[RESTORING] = 0; return done(); }";
    await expect((await poolOf(slow, 250)).close()).resolves.toBeUndefined();
  });
});

it("names a lane whose thread ended before it restored the stores of the user", async () => {
  const borrowed = async (lane: number): Promise<LaneSpec> => ({ ...(await host.provision(lane)), borrowed: true });
  const ended = await poolOf("calibrate: () => process.exit()", 250, { ...host, provision: borrowed });
  await expect(ended.calibrate()).rejects.toMatchObject({ code: "LANE_SILENT" });
  await expect(ended.close()).rejects.toMatchObject({ code: "LANE_NOT_CLOSED" });
});
