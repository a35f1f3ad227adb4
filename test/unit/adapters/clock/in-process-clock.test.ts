import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { InProcessClock } from "../../../../src/adapters/clock/index.ts";

const DAY = 86_400_000;

function clockAhead(days: number): InProcessClock {
  const clock = new InProcessClock({ id: `test-${days}` });
  onTestFinished(() => clock.close());
  if (days > 0) clock.advance(days * DAY);
  return clock;
}

/** Days by which a time is ahead of the real one. */
const daysAhead = (ms: number): number => Math.round((ms - performance.timeOrigin - performance.now()) / DAY) || 0;

describe("the clock of a target in this process", () => {
  it("moves the time in the target's code, and neither seqqa's time nor that of another lane", async () => {
    const [one, other] = [clockAhead(3), clockAhead(5)];
    const target = async (): Promise<readonly number[]> => {
      const late = new Promise<number>((resolve) => void setTimeout(() => resolve(daysAhead(Date.now())), 1));
      await sleep(2);
      return [daysAhead(Date.now()), await late];
    };
    const both = Promise.all([one.callTarget(target), other.callTarget(target)]);
    expect(daysAhead(Date.now())).toBe(0);
    expect(await both).toEqual([
      [3, 3],
      [5, 5],
    ]);
    expect(daysAhead(Date.now())).toBe(0);
  });

  it("goes back when it is restored", () => {
    const clock = clockAhead(0);
    const before = clock.mark();
    clock.advance("2 days");
    expect(clock.callTarget(() => daysAhead(Date.now()))).toBe(2);
    clock.restore(before);
    expect(clock.callTarget(() => daysAhead(Date.now()))).toBe(0);
  });

  it("moves the time again once it is closed and opened", () => {
    const clock = clockAhead(2);
    clock.close();
    clock.open({ name: "clock", laneIndex: 0, inProcess: true, borrowed: false });
    expect(clock.callTarget(() => daysAhead(Date.now()))).toBe(2);
    clock.close();
    expect(new Date(0).constructor).toBe(Date);
  });

  it("moves every way to read the time, and leaves dates as they are", () => {
    const real = Date;
    const seen = clockAhead(3).callTarget(() => {
      class Own extends Date {}
      return {
        now: daysAhead(Date.now()),
        made: daysAhead(new Date().getTime()),
        text: daysAhead(Date.parse(Date())),
        own: daysAhead(new Own().getTime()),
        isOwn: new Own() instanceof Own && new Own() instanceof Date,
        again: daysAhead(new (new Date(0).constructor as DateConstructor)().getTime()),
        given: new Date(5).getTime(),
        utc: Date.UTC(1970, 0, 2),
        isDate: new Date() instanceof real && new real() instanceof Date,
        copied: structuredClone(new Date(7)).getTime(),
      };
    });
    const expected = { now: 3, made: 3, text: 3, own: 3, isOwn: true, again: 3, given: 5, utc: DAY, isDate: true, copied: 7 };
    expect(seen).toEqual(expected);
  });

  it("leaves Date as it was once the last clock is closed", () => {
    const before = Date;
    const [one, other] = [clockAhead(1), clockAhead(2)];
    one.callTarget(() => undefined);
    other.callTarget(() => undefined);
    expect(Date).not.toBe(before);
    one.close();
    expect(Date).not.toBe(before);
    other.close();
    expect(Date).toBe(before);
    expect(new Date(0).constructor).toBe(before);
  });
});
