import type { FaultAnswer, FaultHit } from "../../../../src/messages/fault-messages.ts";
import { Severity } from "../../../../src/model/declare/severity.ts";
import type { FaultPoint, FaultVerdict } from "../../../../src/model/results/result.ts";

/** Two points that were tried, and no hit. */
export const TRIED: FaultAnswer = {
  points: 2,
  killable: 0,
  next: undefined,
  tried: 2,
  skipped: {},
  missing: { "cache error": "it has no writes" },
  hits: [],
  dismissed: undefined,
  failure: undefined,
};

export const FIRST: FaultPoint = { kind: "error", store: "db", write: 1, statement: "INSERT orders" };

export function hitOf(verdict: FaultVerdict, point: FaultPoint = FIRST): FaultHit {
  return { point, verdict, severity: Severity.HIGH, message: verdict, status: 500, exchanges: [], changes: [] };
}
