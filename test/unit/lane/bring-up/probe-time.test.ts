import { describe, expect, it } from "vitest";
import { probeTime } from "../../../../src/lane/bring-up/probe-time.ts";

const MS = Date.UTC(2026, 10, 24, 17, 35, 51);

describe("the time in the answer of a clock's probe", () => {
  it.each([
    ["2026-11-24T17:35:51Z"],
    ["2026-11-24T17:35:51.000Z\n"],
    ["2026-11-24 17:35:51"],
    ["2026-11-24 18:35:51+01"],
    ["2026-11-24T17:35:51,000+0000"],
    ["2026-11-24 17:35:51.000000 +00:00"],
    ['"2026-11-24T17:35:51Z"'],
    [String(MS)],
    [String(MS / 1000)],
    [`${MS / 1000}.0`],
    [`{"now":"2026-11-24T17:35:51Z"}`],
    [`{"time":${MS}}`],
    [`{"status":"ok","date":"${MS / 1000}"}`],
    [`{"now":"soon","timestamp":${MS / 1000}}`],
  ])("%s", (body) => {
    expect(probeTime(body)).toBe(MS);
  });

  it.each([
    [""],
    ["soon"],
    ["<html>17:35</html>"],
    ["2026-11-24"],
    ["2026-13-45T17:35:51Z"],
    ["-5"],
    ["0"],
    ["1e999"],
    ["null"],
    ["true"],
    ["{}"],
    [`[${MS}]`],
    [`{"NOW":${MS}}`],
    [`{"__proto__":{"now":${MS}}}`],
    [`{"now":{"now":${MS}}}`],
  ])("none in %s", (body) => {
    expect(probeTime(body)).toBeUndefined();
  });
});
