import { spawn } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { here, identify, isAlive, isThreadAlive, thisThread } from "../../../src/stores/index.ts";

test("a process is told from a later one with its pid by its start", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const identity = identify(child.pid!)!;
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, start: "1" })).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
  expect(identify(child.pid!)).toBeUndefined();
});

test("a thread of this process is told from one that has ended", async () => {
  expect(isThreadAlive(thisThread())).toBe(true);
  expect(isThreadAlive(`${thisThread()}0`)).toBe(false);
  expect(isThreadAlive("../../etc/passwd:1")).toBe(false);
  const worker = new Worker(
    `require("node:worker_threads").parentPort.postMessage(require("node:fs").readlinkSync("/proc/thread-self")); setInterval(() => {}, 1000);`,
    { eval: true },
  );
  const [task] = (await once(worker, "message")) as [string];
  expect(thisThread().startsWith(`${task}:`)).toBe(false);
  await worker.terminate();
  expect(isThreadAlive(`${task}:${thisThread().split(":")[1]}`)).toBe(false);
});

test("a place names machine, boot and pid namespace", () => {
  expect(here()).toEqual({
    host: expect.any(String) as string,
    boot: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    namespace: expect.stringMatching(/^pid:/) as string,
  });
});
