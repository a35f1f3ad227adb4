import { randomBytes } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import type { Connection } from "../../../../../src/adapters/redis/connect/driver.ts";
import { lifeOf, SavedFile } from "../../../../../src/adapters/redis/dump/saved-file.ts";

const runId = randomBytes(20).toString("hex");

/** Returns the file as a server with these counters of commands finds it. */
function fileAt(calls: Readonly<Record<string, number>>, usec = 9): Promise<SavedFile> {
  const stats = Object.entries(calls).map(([name, count]) => `cmdstat_${name}:calls=${count},usec=${usec}\r\n`);
  const text = (_info: string, section: string): Promise<string> =>
    Promise.resolve(section === "server" ? `run_id:${runId}\r\n` : `# Commandstats\r\n${stats.join("")}`);
  return SavedFile.of({ place: { host: "h", port: 1 }, text } as unknown as Connection, 0);
}

const written = async (isShared = false, calls: Readonly<Record<string, number>> = { info: 1 }): Promise<void> =>
  (await fileAt(calls)).write(new Map(), { run: "1@h", ignore: [], notify: undefined, isShared });

afterEach(async () => (await fileAt({})).remove());

it.each([
  ["no such command was called", { info: 2 }, false],
  ["a database was emptied", { info: 2, flushall: 1 }, true],
  ["databases were swapped", { info: 2, swapdb: 1 }, true],
  ["the data was loaded again", { info: 2, debug: 1 }, true],
  ["the server copied another one", { info: 2, replicaof: 1 }, true],
  ["the counters were reset", { info: 1, "config|resetstat": 1 }, true],
  ["the server counts no commands", {}, true],
] as const)("the file may be needed unless the counters show that nothing was deleted: %s", async (_what, calls, isNeeded) => {
  await written();
  expect((await fileAt(calls)).mayBeNeeded()).toBe(isNeeded);
});

it("the file may be needed if the counters were reset before the run, and again in it", async () => {
  await written(false, { info: 1, "config|resetstat": 1 });
  expect((await fileAt({ info: 1, "config|resetstat": 1 })).mayBeNeeded()).toBe(false);
  expect((await fileAt({ info: 1, "config|resetstat": 1 }, 8)).mayBeNeeded()).toBe(true);
});

it("the file is always needed if the database also contains the claim, which DEL may delete", async () => {
  await written(true);
  const file = await fileAt({ info: 2 });
  expect([file.mayBeNeeded(), await lifeOf(file, 0, undefined)]).toEqual([true, "dead"]);
});

it("the file of a dead run that was undone elsewhere is removed", async () => {
  await written();
  const file = await fileAt({ info: 2 });
  expect(await lifeOf(file, 0, undefined)).toBeUndefined();
  expect(file.head()).toBeUndefined();
});

it("the run of a claim is alive, also if no database was emptied", async () => {
  await written();
  expect(await lifeOf(await fileAt({ info: 2 }), 0, { claims: () => Promise.resolve([{ db: 0 }]) } as never)).toBe("alive");
});
