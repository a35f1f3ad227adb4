import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TargetOutput } from "../../../../src/targets/process/target-output.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "seqqa-output-"));
  vi.useFakeTimers({ now: 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

it("keeps all of it in a file, and tells what came in a time, without secrets and control characters", () => {
  const file = join(folder, "targets/lane-0.log");
  const output = new TargetOutput(file, (line) => line.replaceAll("s3cret", "***"));
  expect(existsSync(file)).toBe(false);
  output.write("started\nbeg");
  vi.setSystemTime(2_000);
  output.write("un with s3cret\n\u001b[31mred\u001b[0m\n\n");
  vi.setSystemTime(3_000);
  output.write("later\n");
  expect(output.between(1_900, 2_000)).toEqual(["begun with ***", "red"]);
  expect(output.between(0, 10_000)).toEqual(["started", "begun with ***", "red", "later"]);
  expect(output.between(5_000, 6_000)).toEqual([]);
  output.close();
  expect(readFileSync(file, "utf8")).toBe("started\nbegun with ***\nred\n\nlater\n");
});

it("is told also if its file cannot be created, as in a folder that became read-only", () => {
  writeFileSync(join(folder, "targets"), "in the way");
  const output = new TargetOutput(join(folder, "targets/lane-0.log"), (line) => line);
  output.write("started\n");
  expect(output.between(0, 10_000)).toEqual(["started"]);
  output.close();
});

it("is bounded: the last lines are told", () => {
  const output = new TargetOutput(join(folder, "lane-0.log"), (line) => line);
  for (let i = 0; i < 4_000; i++) output.write(`${i} ${"x".repeat(1_000)}\n`);
  const lines = output.between(0, 10_000);
  expect(lines).toHaveLength(40);
  expect(lines.at(-1)).toMatch(/^3999 x{395}$/);
  output.close();
});
