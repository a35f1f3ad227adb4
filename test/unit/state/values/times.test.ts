import { describe, expect, it, vi } from "vitest";
import { isFixed, momentOf, resolutionOf } from "../../../../src/state/values/times.ts";

const NOON = Date.UTC(2026, 10, 27, 9, 5, 7);

describe("a text with a date and a time", () => {
  it.each([
    ["11/27/2026, 9:05:07 AM", NOON],
    ["11/27/2026, 9:05:07\u202fPM", NOON + 12 * 3_600_000],
    ["11/27/2026, 12:05:07 AM", NOON - 9 * 3_600_000],
    ["27/11/2026, 09:05:07", NOON],
    ["27.11.2026, 09:05:07", NOON],
    ["27-11-2026 09:05:07.250", NOON + 250],
    ["2026/11/27 9:05:07", NOON],
    ["Fri Nov 27 09:05:07 2026", NOON],
    // Without AM or PM, the day comes first, if it can.
    ["02/01/2026 00:00:00", Date.UTC(2026, 0, 2)],
    ["02/01/2026, 12:00:00 AM", Date.UTC(2026, 1, 1)],
  ])("%s is a time without a zone", (text, ms) => {
    expect(momentOf(text)).toEqual({ ms, form: "text", isNaive: true });
  });

  it.each([
    "Fri Nov 27 2026 09:05:07 GMT+0000 (Coordinated Universal Time)",
    "Fri Nov 27 2026 04:05:07 GMT-0500",
    "Fri, 27 Nov 2026 04:05:07 -0500",
  ])("%s is a time with a zone", (text) => {
    expect(momentOf(text)).toEqual({ ms: NOON, form: "text" });
  });

  it.each([
    "27/11/2026",
    "27/11.2026 09:05:07",
    "40/13/2026 09:05:07",
    "1.2.3 4:05:06",
    "27/11/2026 25:05:07",
    "Friday the 13th, 09:05:07",
  ])("%s is none", (text) => {
    expect(momentOf(text)).toBeUndefined();
  });
});

describe("a text of digits", () => {
  it.each([
    ["1795000000", 1_795_000_000_000],
    ["1795000000.25", 1_795_000_000_250],
    ["1795000000.483920", 1_795_000_000_483.92],
    ["1795000000.000000", 1_795_000_000_000],
  ])("%s is a time in seconds", (text, ms) => {
    const { ms: read, form } = momentOf(text)!;
    expect([read, form]).toEqual([expect.closeTo(ms, 3), "s"]);
    expect(resolutionOf({ ms: read, form }) > 1).toBe(ms % 1_000 === 0);
  });

  it.each(["1795000000.", "179500000.483920", "0.1795000000", "1795000000.1.2", "1795000000.4839201234", "5795000000.48"])(
    "%s is no time",
    (text) => {
      expect(momentOf(text)).toBeUndefined();
    },
  );
});

describe("a time far from its step", () => {
  const window = { startMs: NOON - 20, endMs: NOON };
  const isFixedTime = (text: string, resolutionMs = 1): boolean => isFixed(momentOf(text)!, window, resolutionMs);

  it.each([
    ["2028-11-27T09:05:06.990Z", false],
    ["2126-11-27 09:05:07", false],
    ["9999-12-31T23:59:59Z", true],
    ["1970-01-01 00:00:00", true],
    ["2028-11-27", true],
    ["2026-12-24T18:00:00Z", false],
  ])("%s is fixed, unless whole days lie between both: %s", (text, isExpected) => {
    expect(isFixedTime(text)).toBe(isExpected);
  });

  it("is judged in seconds where times are compared in days, because a date is always whole days away", () => {
    expect(isFixedTime("9999-12-31", 86_400_000)).toBe(true);
  });

  it("may be local time if it has no zone", () => {
    const zone = vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(-120);
    try {
      expect(isFixedTime("2028-11-27 11:05:07", 1_000)).toBe(false);
      expect(isFixedTime("2028-11-27T11:05:07Z", 1_000)).toBe(true);
    } finally {
      zone.mockRestore();
    }
  });
});
