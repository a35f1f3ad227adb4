import type { JourneyResult, StepResult } from "../../src/model/results/journey-result.ts";
import type { ExplorationGraph, ExplorationResult, Violation } from "../../src/model/results/result.ts";
import { verdictOf, violationText, type RunReport } from "../../src/reports/index.ts";

/** What an API under attack, or just a strange one, may answer. */
export const HOSTILE =
  "\x1b[2J\x1b]0;title\x07 nul\0 bell\x07 back\b lone\ud800 half\udc00 pair😀 c1\x9b31m rtl\u202e line\u2028 del\x7f\r\nnext";

export function violation(changes: Partial<Violation> = {}): Violation {
  const made = {
    id: "3fa1b2c4",
    invariant: "refund_within_amount",
    severity: "critical" as const,
    message: "refunded more than was paid",
    reproductionPath: ["create_order", "refund_order", "refund_order"],
    request: {
      method: "POST",
      url: "http://127.0.0.1:3000/orders/1/refund",
      headers: { Authorization: "Bearer abc", "content-type": "application/json" },
      body: '{"amount":100,"password":"pw-1"}',
    },
    response: { status: 200, headers: { "set-cookie": "sid=1" }, body: '{"id":1,"refunded":200}' },
    steps: [
      {
        action: "refund_order",
        status: 200,
        requests: [
          {
            request: { method: "POST", url: "http://127.0.0.1:3000/orders/1/refund?token=abc&x=1", headers: { cookie: "sid=1" } },
            response: { status: 200, headers: {}, body: '{"id":1,"refunded":200,"nested":[{"accessToken":"t-1"}]}' },
            durationMs: 1.5,
          },
        ],
      },
    ],
    confirmed: true,
    count: 1,
    state: 3,
    ...changes,
  };
  return { ...made, toString: () => violationText(made) };
}

const graph: ExplorationGraph = {
  actions: ["create_order", "refund_order"],
  nodes: 3,
  edges: 2,
  parents: Int32Array.of(-1, 0, 1),
  parentActions: Int32Array.of(-1, 0, 1),
  depths: Int32Array.of(0, 1, 2),
  edgeFrom: Int32Array.of(0, 1),
  edgeAction: Int32Array.of(0, 1),
  edgeTo: Int32Array.of(1, 2),
  edgeStatus: Int32Array.of(201, 200),
  path: () => [],
};

export function result(changes: Partial<ExplorationResult> = {}): ExplorationResult {
  const made: Omit<ExplorationResult, "verdict"> = {
    statesVisited: 14_425,
    transitions: 187_525,
    steps: 187_525,
    skipped: 0,
    replayed: 93_000,
    crossChecked: 2_400,
    speculative: 12,
    open: 0,
    maxDepthReached: 36,
    completeToDepth: 36,
    violations: [],
    races: [],
    divergences: [],
    errors: [],
    stopReason: "exhausted",
    coverage: { actions: { create_order: { applied: 1, skipped: 0, statuses: { "201": 1 } } }, pairs: 1 },
    durationMs: 27_400,
    seed: 7,
    digest: "9f8e7d6c5b4a3921",
    collisionProbability: 5.6e-12,
    collisions: 0,
    bounded: 0,
    notes: [],
    unverified: [],
    reductions: [],
    invariants: ["refund_within_amount"],
    graph,
    toJSON: () => ({}),
    ...changes,
  };
  return { verdict: verdictOf(made), ...made };
}

/** Everything that one run found. */
export function report(changes: Partial<RunReport> = {}): RunReport {
  return {
    version: "0.6.4",
    run: "20261121-083020-123-4fd1",
    startedAt: new Date("2026-11-21T08:30:20.123Z"),
    failOnSeverity: "low",
    explorations: [],
    journeys: [],
    failures: [],
    exitStatus: 0,
    ...changes,
  };
}

export function step(changes: Partial<StepResult> = {}): StepResult {
  return { name: "sign in", status: "passed", requests: [], context: { set: {}, deleted: [] }, durationMs: 12, ...changes };
}

/** Signs in, reads, and never signs out. */
export function journey(changes: Partial<JourneyResult> = {}): JourneyResult {
  const request = { method: "GET", url: "http://127.0.0.1:3000/me?token=secret-1", headers: { authorization: "Bearer secret-2" } };
  const response = { status: 403, headers: {}, body: '{"error":"no","password":"secret-3"}' };
  return {
    name: "login",
    status: "failed",
    durationMs: 30,
    steps: [
      step({
        args: { email: "a@b.c", password: "secret-4", when: new Date(0), big: 12n },
        context: { set: { token: "secret-5", id: 7 }, deleted: ["old"] },
        requests: [
          { request: { ...request, method: "POST", body: "password=secret-6" }, response: { ...response, status: 200 }, durationMs: 3 },
        ],
      }),
      step({
        name: "read",
        status: "failed",
        error: 'Answered 403 to GET /me: {"password":"secret-7"}',
        where: "journeys/login.ts:12:5",
        requests: [{ request, response, durationMs: 5 }],
      }),
      step({ name: "sign out", status: "skipped", durationMs: 0 }),
    ],
    ...changes,
  };
}

/** An output that keeps what is written to it. */
export class Sink {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(isTTY = false, columns = 80) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}
