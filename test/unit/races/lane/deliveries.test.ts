import { describe, expect, it } from "vitest";
import type { DeliveryPoint, DeliveryPoints } from "../../../../src/adapters/http/delivery/index.ts";
import type { Calls } from "../../../../src/races/lane/calls.ts";
import { deliveryOverHttp } from "../../../../src/races/lane/deliveries.ts";
import { call, facts, together } from "../oracle/executions.ts";

/** A trial by pipelining in which the second call lost its connection. */
async function tried(isAlive: boolean) {
  const refused: string[] = [];
  const interval = { from: 0, to: 1 };
  const point = {
    delivery: "pipelined",
    begin: () => ({ send: () => Promise.reject(new Error("not asked for")), leave: () => undefined, intervals: [interval, interval] }),
    close: () => Promise.resolve(),
  } satisfies DeliveryPoint;
  const points: DeliveryPoints = {
    oneConnection: false,
    auto: [point],
    point: () => point,
    evidence: () => undefined,
    isAlive: () => Promise.resolve(isAlive),
    refuses: (delivery) => void refused.push(delivery),
    close: () => Promise.resolve(),
  };
  const execution = together([call("a", 200), call("a", 0, undefined, { kind: "lost", lost: "unreachable" })], facts({}));
  const calls = { together: () => Promise.resolve(execution) } as unknown as Calls;
  const trial = await deliveryOverHttp(points, point, "route", [1, 1]).try(calls, { meetAt: [0, 0], offsets: [0, 0], reversed: false });
  return { refused, trial };
}

describe("calls on one connection that is closed before all are answered", () => {
  it("say nothing where the server is there: it does not pipeline", async () => {
    const { refused, trial } = await tried(true);
    expect(refused).toEqual(["pipelined"]);
    expect(trial).toMatchObject({ overlapped: false, isRefused: true });
  });

  it("met, where the server is gone", async () => {
    const { refused, trial } = await tried(false);
    expect(refused).toEqual([]);
    expect(trial!.overlapped).toBe(true);
    expect(trial!.isRefused).toBeUndefined();
  });
});
