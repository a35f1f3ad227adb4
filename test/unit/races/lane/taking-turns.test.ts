import { describe, expect, it } from "vitest";
import { TakingTurns } from "../../../../src/races/lane/taking-turns.ts";

/** Sides that send so many requests each, by turns; what was sent, as it began and ended. */
async function sent(turns: readonly number[], requests: readonly number[]): Promise<string> {
  const line = new TakingTurns(turns);
  let log = "";
  const side = async (number: number): Promise<void> => {
    for (let request = 0; request < requests[number]!; request++) {
      await line.take(number, async () => {
        log += `${number}(`;
        await new Promise((resolve) => setImmediate(resolve));
        log += ")";
      });
    }
    line.leave(number);
  };
  await Promise.all(requests.map((_, number) => side(number)));
  return log;
}

describe("sides that take turns", () => {
  it("send one request at a time, in the order of the turns", async () => {
    expect(await sent([0, 1, 1, 0], [2, 2])).toBe("0()1()1()0()");
    expect(await sent([1, 0, 0, 1], [2, 2])).toBe("1()0()0()1()");
  });

  it("give up the turns that are left when they end", async () => {
    expect(await sent([0, 1, 0, 1], [1, 2])).toBe("0()1()1()");
    expect(await sent([1, 1, 0], [1, 0])).toBe("0()");
  });

  it("send what is beyond their turns last", async () => {
    expect(await sent([1, 0], [2, 2])).toBe("1()0()1()0()");
  });

  it("go on after a request that fails", async () => {
    const line = new TakingTurns([0, 1]);
    const second = line.take(1, () => Promise.resolve("sent"));
    await expect(line.take(0, () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    expect(await second).toBe("sent");
  });
});
