import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import type { Recording } from "../../../../src/messages/lane-messages.ts";
import type { RaceAnswer, RaceHit, RaceRequest } from "../../../../src/messages/race-messages.ts";
import type { RaceVerdict } from "../../../../src/model/results/result.ts";
import { Severity } from "../../../../src/model/declare/severity.ts";
import type { SeenRace } from "../../../../src/races/plan/probe-races.ts";

/** A probe without a hit. */
export const NOTHING: RaceAnswer = {
  hit: undefined,
  suspect: false,
  drew: false,
  hits: 0,
  trials: 2,
  misses: 0,
  deliveries: {},
  dismissed: undefined,
  failure: undefined,
};

export function hitOf(verdict: RaceVerdict): RaceAnswer {
  const outcome = { order: null, calls: [], changes: [], broken: [] };
  const hit: RaceHit = {
    verdict,
    invariant: undefined,
    severity: Severity.HIGH,
    message: verdict,
    observed: outcome,
    allowed: [],
    delivery: "plain",
    schedule: undefined,
  };
  return { ...NOTHING, hit, suspect: true, hits: 1 };
}

/** A race that probing saw behind a prefix. */
export function seenAt(path: readonly number[], sides: readonly number[], verdict: RaceVerdict = "state"): SeenRace {
  const request: RaceRequest = { path, sides, effort: { first: 2, trials: 20, delivery: "auto", seed: 0 }, mode: "search" };
  return { planned: { node: path.length, sides, suspicion: 0 }, request, answer: hitOf(verdict) };
}

const RECORDING = { steps: [], findings: [], failure: undefined, drew: false } as unknown as Recording;

/** One lane on which races are what `answer` says; and what was asked of it, in order: a lane built anew, or a request. */
export function laneThat(answer: (request: RaceRequest) => RaceAnswer): {
  readonly lanePool: LanePool;
  readonly asked: ("rebuilt" | RaceRequest)[];
} {
  const asked: ("rebuilt" | RaceRequest)[] = [];
  const lanePool = {
    lanes: 1,
    rebuild: () => Promise.resolve(void asked.push("rebuilt")),
    race: (_lane: number, request: RaceRequest) => {
      asked.push(request);
      return Promise.resolve(answer(request));
    },
    record: () => Promise.resolve(RECORDING),
  };
  return { lanePool: lanePool as unknown as LanePool, asked };
}
