import type { DismissedRace, Race, RaceCall, RaceCoverage, RecordedExchange } from "../../src/model/results/result.ts";
import { raceText } from "../../src/reports/index.ts";

const BASE = "http://127.0.0.1:3000";

export const exchangeOf = (method: string, path: string, status: number, body: string, sent?: string): RecordedExchange => ({
  request: {
    method,
    url: `${BASE}${path}`,
    headers: { authorization: "Bearer abc", "content-type": "application/json" },
    ...(sent === undefined ? {} : { body: sent }),
  },
  response: { status, headers: { "content-type": "application/json" }, body },
  durationMs: 2,
});

const call = (status: number, body: string): RaceCall => ({
  action: "refund_order",
  status,
  requests: [exchangeOf("POST", "/orders/1/refund", status, body)],
});

const REFUNDED = '{"id":1,"refunded":100}';
const REFUSED = '{"error":"refunded already"}';

/** Returns a double refund: both calls are answered 200, and both change the store. */
export function race(changes: Partial<Race> = {}): Race {
  const made = {
    id: "r3fa1b2c4d5e6f708",
    first: "refund_order",
    second: "refund_order",
    copies: 2,
    prefix: ["create_order", "pay_order"],
    verdict: "state" as const,
    severity: "high" as const,
    message: "both calls were answered 200, and the resulting state cannot be reached by running them in either order",
    where: "qa/shop.explore.ts:20:22",
    observed: {
      order: null,
      calls: [call(200, REFUNDED), call(200, REFUNDED)],
      changes: [
        "- orders (id = 1, refunded = 0, status = paid)",
        "+ orders (id = 1, refunded = 100, status = refunded)",
        "+ refunds (amount = 100, id = 1, order_id = 1)",
        "+ refunds (amount = 100, id = 2, order_id = 1)",
      ],
      broken: [],
    },
    allowed: [
      { order: [0, 1], calls: [call(200, REFUNDED), call(409, REFUSED)] },
      { order: [1, 0], calls: [call(409, REFUSED), call(200, REFUNDED)] },
    ].map((one) => ({
      ...one,
      changes: [
        "- orders (id = 1, refunded = 0, status = paid)",
        "+ orders (id = 1, refunded = 100, status = refunded)",
        "+ refunds (amount = 100, id = 1, order_id = 1)",
      ],
      broken: [],
    })),
    hits: 14,
    trials: 20,
    misses: 1,
    rate: { low: 0.481, high: 0.855 },
    delivery: "pipelined" as const,
    steps: [
      {
        action: "create_order",
        status: 201,
        requests: [exchangeOf("POST", "/orders", 201, '{"id":1,"amount":100}', '{"amount":100,"password":"pw-1"}')],
        changes: ["+ orders (amount = 100, id = 1)"],
      },
      { action: "pay_order", status: 200, requests: [exchangeOf("POST", "/orders/1/pay", 200, '{"id":1}')], changes: [] },
    ],
    requests: [exchangeOf("POST", "/orders/1/refund", 200, "").request, exchangeOf("POST", "/orders/1/refund", 200, "").request],
    count: 1,
    ...changes,
  };
  return { ...made, toString: () => raceText(made) };
}

/** Returns the double refund with the delivery `gated`, which follows a schedule. */
export const gatedRace = (changes: Partial<Race> = {}): Race =>
  race({
    id: "r00000000000000a7",
    delivery: "gated",
    schedule: { system: "db", held: 0, write: 1, statement: "UPDATE orders" },
    hits: 3,
    trials: 3,
    misses: 0,
    rate: { low: 0.438, high: 1 },
    ...changes,
  });

export function raceCoverage(changes: Partial<RaceCoverage> = {}): RaceCoverage {
  return {
    pairs: 60,
    probed: 14,
    trials: 122,
    misses: 3,
    skipped: { same_class: 16, read_only: 30 },
    dismissed: { control: 2 },
    deliveries: { pipelined: 100, gated: 22 },
    durationMs: 1_234,
    ...changes,
  };
}

/** Returns a race that was dismissed, because its control arm showed it, too. */
export function dismissedRace(changes: Partial<DismissedRace> = {}): DismissedRace {
  const { first, second, copies, prefix, verdict, message, observed } = race();
  return { first, second, copies, prefix, verdict, message, observed, reason: "control", count: 2, ...changes };
}
