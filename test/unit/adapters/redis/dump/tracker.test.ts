import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { Connection } from "../../../../../src/adapters/redis/connect/driver.ts";
import { Tracker, type Doubt } from "../../../../../src/adapters/redis/dump/tracker.ts";
import { isQuiet, type Entry } from "../../../../../src/adapters/redis/keys/entry.ts";

/** Returns which keys are in doubt after a command of this name, and how many changes the server has counted since. */
async function doubtAfter(command: string, counted: number): Promise<Doubt> {
  let [looks, text] = [0, ""];
  const client = Object.assign(new EventEmitter(), { psubscribe: () => Promise.resolve() });
  const connection = {
    place: { host: "127.0.0.1", port: 6379, db: 0, tls: false },
    client,
    ask: (work: (one: typeof client) => unknown) => work(client),
    text: (name: string) =>
      Promise.resolve(name === "CONFIG" ? ["notify-keyspace-events", "KA"] : `cmdstat_info:calls=${++looks},usec=1\r\n${text}`),
  } as unknown as Connection;
  const tracker = (await Tracker.start(connection, connection)) as Tracker;
  const persistence = (changes: number): string => `rdb_changes_since_last_save:${changes}\r\nrdb_last_save_time:1700000000\r\n`;
  text = persistence(5);
  expect(await tracker.settle()).toBe("all");
  expect(await tracker.settle()).toBe("none");
  text = `cmdstat_${command}:calls=1,usec=9\r\n${persistence(5 + counted)}`;
  const doubt = await tracker.settle();
  expect(await tracker.settle()).toBe("none");
  return doubt;
}

test.each([
  ["bf.add", 1, "all"],
  ["CF.ADD", 1, "all"],
  ["cms.incrby", 1, "all"],
  ["tdigest.add", 1, "all"],
  ["vadd", 1, "all"],
  ["ft.sugadd", 1, "all"],
  // The server has counted no change, so no key was created. A known key of a module is read again nevertheless.
  ["bf.exists", 0, "quiet"],
  ["vsetattr", 0, "quiet"],
  ["xack", 1, "quiet"],
  // These commands announce their changes, or change no key.
  ["json.set", 1, "none"],
  ["ts.add", 1, "none"],
  ["ft.search", 1, "none"],
  ["vsim", 1, "none"],
  ["set", 1, "none"],
] as const)("after %s and %i counted changes, keys in doubt: %s", async (command, counted, doubt) => {
  expect(await doubtAfter(command, counted)).toBe(doubt);
});

test.each([
  ["hash", false],
  ["stream", true],
  ["vectorset", true],
  ["MBbloom--", true],
  ["TDIS-TYPE", true],
  ["ReJSON-RL", false],
])("a value of the type %s may change without a notification: %s", (type, quiet) => {
  expect(isQuiet({ type, value: "" } as unknown as Entry)).toBe(quiet);
});
