import type { DeliveryPoint, DeliveryPoints } from "../../adapters/http/delivery/index.ts";
import { LaneLost, settled } from "../../lane/index.ts";
import type { RaceDelivery, RaceSchedule } from "../../model/results/result.ts";
import type { Gate, HeldWrite } from "../../model/stores/store-adapter.ts";
import type { Execution } from "../oracle/execution.ts";
import type { Calls } from "./calls.ts";
import { mix } from "../../engine/graph/mix.ts";

/** The result of one trial of a race. `overlapped` is `true` if the calls were in progress at the same time. */
export interface Trial {
  readonly execution: Execution;
  readonly overlapped: boolean;
  /** `true` if the target does not support the delivery. A missing answer then does not show a race. */
  readonly isRefused?: boolean;
}

export interface TrialPlan {
  /** For each call, the index (from 0) of the request that is sent at the same time as a request of the other call. */
  readonly meetAt: readonly number[];
  /** For each call, the delay in milliseconds before its request at `meetAt` is sent. */
  readonly offsets: readonly number[];
  /**
   * `true` if the request of the last call is sent first. The order matters if the calls share a connection, because the server handles the requests
   * of a connection in the order in which they arrive.
   */
  readonly reversed: boolean;
}

export interface Delivery {
  readonly delivery: RaceDelivery;
  readonly schedule: RaceSchedule | undefined;
  /**
   * Executes the calls once with this delivery. @returns `undefined` if the delivery could not be used, which shows neither a race nor its absence
   */
  try(calls: Calls, plan: TrialPlan): Promise<Trial | undefined>;
}

/** Returns a delivery over HTTP. Requests to the given route are held and sent together. Requests to other routes are sent immediately. */
export function deliveryOverHttp(points: DeliveryPoints, point: DeliveryPoint, route: string, alone: readonly number[]): Delivery {
  return {
    delivery: point.delivery,
    schedule: undefined,
    try: async (calls, { meetAt, offsets, reversed }) => {
      const meeting = point.begin({ sides: meetAt.length, meetAt, offsets });
      const execution = await calls.together(
        async (call) => {
          const sides = meetAt.map((_, side) => side);
          await settled((reversed ? sides.toReversed() : sides).map((side) => call(side).finally(() => meeting.leave(side))));
          return true;
        },
        (side, request, to, send) => (to.key === route ? meeting.send(side, request, send) : send(request)),
      );
      points.evidence(point.delivery, alone, meeting.intervals);
      if (execution === undefined) return undefined;
      if (point.delivery === "pipelined" && execution.calls.some((call) => call?.lost === "unreachable") && (await points.isAlive())) {
        // The server closed the connection after the first answer, so it does not support several requests on one connection.
        points.refuses(point.delivery);
        return { execution, overlapped: false, isRefused: true };
      }
      return { execution, overlapped: meet(meeting.intervals) };
    },
  };
}

/** The delivery for calls within this process and for the user's own clients: all calls start in one turn of the event loop. */
export const PLAIN_WAY: Delivery = {
  delivery: "plain",
  schedule: undefined,
  try: async (calls, { offsets }) => {
    const intervals: { from: number; to: number }[] = [];
    const execution = await calls.together(async (call) => {
      await settled(
        offsets.map(async (offset, side) => {
          if (offset > 0) await new Promise((resolve) => setTimeout(resolve, offset));
          const from = performance.now();
          await call(side);
          intervals[side] = { from, to: performance.now() };
        }),
      );
      return true;
    });
    return execution === undefined ? undefined : { execution, overlapped: meet(intervals) };
  },
};

/**
 * Times in milliseconds. A held call waits until the other calls are blocked. `LOOK` is the interval at which seqqa checks if the other calls are
 * blocked, and `PATIENCE` is the longest wait. `SHORT_PATIENCE` is the longest wait for a target whose own time limits may be shorter than
 * `PATIENCE`.
 */
const LOOK = 4;
const PATIENCE = 3000;
const SHORT_PATIENCE = 300;

/** Maximum number of attempts for a trial. Another attempt is made if the gate held a write other than the scheduled write. */
const TRIES = 3;

/**
 * Returns a delivery that holds one call before one of its writes, until the other calls have ended or are blocked. The gate may instead hold a write
 * of the target's background work. The trial is therefore repeated if the held statement differs from the scheduled statement. The last attempt
 * accepts any statement, because the target may have changed.
 */
export function gatedDelivery(gate: Gate, schedule: RaceSchedule): Delivery {
  let found = schedule;
  return {
    delivery: "gated",
    get schedule() {
      return found;
    },
    try: async (calls, { offsets }) => {
      let held = false;
      let isTooLong = false;
      let triesLeft = TRIES;
      const isAnother = ({ statement }: HeldWrite): boolean =>
        triesLeft > 0 && schedule.statement !== "" && statement !== schedule.statement;
      const attempt = async (call: (side: number) => Promise<void>, patience: number): Promise<boolean> => {
        triesLeft--;
        await gate.arm(schedule.write);
        try {
          const first = call(schedule.held);
          const write = await gate.held(first.catch(() => undefined));
          if (write !== undefined && isAnother(write)) {
            await gate.release();
            await first;
            return false;
          }
          triesLeft = 0;
          held = write !== undefined;
          if (write !== undefined) found = { ...schedule, statement: write.statement };
          const others = offsets.flatMap((_, side) => (side === schedule.held ? [] : [side]));
          // In a control arm, release the held call first, so that it ends before the other calls start. Execute these calls one after another, too.
          const staggered = offsets.some((offset) => offset > 0);
          if (staggered) {
            await gate.release();
            await first;
          }
          const rest = staggered ? oneByOne(others, offsets, call) : settled(others.map((side) => call(side)));
          isTooLong = held && !staggered && !(await doneOrBlocked(gate, first, rest, patience));
          await gate.release();
          await settled<unknown>([first, rest]);
        } finally {
          await gate.release();
        }
        return held;
      };
      const trial = async (patience: number): Promise<Trial | undefined> => {
        let execution: Execution | undefined;
        triesLeft = TRIES;
        while (execution === undefined && triesLeft > 0) execution = await calls.together((call) => attempt(call, patience));
        return execution === undefined ? undefined : { execution, overlapped: held };
      };
      const first = await trial(PATIENCE);
      // After too long a hold, a call may have failed because of a time limit of the target. Hold the call again, but for a shorter time.
      if (first === undefined || !isTooLong || !hasFailed(first)) return first;
      try {
        return (await trial(SHORT_PATIENCE)) ?? first;
      } catch (error) {
        if (error instanceof LaneLost) return first;
        throw error;
      }
    },
  };
}

/** Executes the calls in the order of their offsets. Each call begins after the previous call has ended. */
async function oneByOne(sides: readonly number[], offsets: readonly number[], call: (side: number) => Promise<void>): Promise<void> {
  for (const side of sides.toSorted((a, b) => offsets[a]! - offsets[b]!)) await call(side);
}

/** Returns `true` if a call got a server error and every call got an answer. A call without an answer may still run, so no trial may follow it. */
function hasFailed({ execution: { calls } }: Trial): boolean {
  return calls.some((call) => call !== undefined && call.status >= 500) && calls.every((call) => call?.lost === undefined);
}

/**
 * Waits until the other calls have ended or are blocked, at most `patience` milliseconds. Returns `false` if the other calls neither ended nor were
 * blocked, or if the held call ended before it was released, for example because of a time limit.
 */
async function doneOrBlocked(gate: Gate, held: Promise<unknown>, rest: Promise<unknown>, patience: number): Promise<boolean> {
  let isDone = false;
  let hasHeldEnded = false;
  const done = rest.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  const end = (): boolean => (hasHeldEnded = true);
  void held.then(end, end);
  const until = performance.now() + patience;
  while (!isDone && performance.now() < until) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, LOOK))]);
    if (!isDone && (await gate.view()).kind === "blocked") return !hasHeldEnded;
  }
  return isDone && !hasHeldEnded;
}

function meet(intervals: readonly ({ readonly from: number; readonly to: number } | undefined)[]): boolean {
  const known = intervals.filter((one) => one !== undefined);
  return known.some((a, at) => known.some((b, other) => other > at && a.from < b.to && b.from < a.to));
}

export class Plans {
  readonly #requests: readonly number[];
  /** Milliseconds that the last request of each call took when no other call was in progress. */
  readonly durations: readonly number[];
  readonly #seed: number;

  constructor(orders: readonly Execution[], seed: number) {
    const sides = orders[0]!.calls.map((_, side) => orders.map(({ calls }) => calls[side]!));
    this.#requests = sides.map((calls) => Math.max(calls[0]!.exchanges.length, 1));
    this.durations = sides.map((calls) => Math.min(...calls.map(({ exchanges }) => exchanges.at(-1)?.durationMs ?? 0)));
    this.#seed = seed;
  }

  /** Returns the plan of the first trial: the last requests of all calls are sent together, because the last request usually writes. */
  first(): TrialPlan {
    return { meetAt: this.#requests.map((count) => count - 1), offsets: this.#requests.map(() => 0), reversed: false };
  }

  /**
   * Returns the plan of a trial. From the third trial on, earlier requests of the calls are sent together, too, not only the last requests. If the
   * calls have separate connections, two of every four of these trials delay one call by a random time. The delay is shorter than the other call's
   * duration, so that the calls still overlap.
   */
  at(trial: number, delivery: RaceDelivery): TrialPlan {
    if (trial < 2) return { ...this.first(), reversed: trial === 1 };
    const reversed = (trial & 2) !== 0;
    const meetAt = this.#requests.map((count) => count - 1 - (trial % count));
    const draw = mix(this.#seed, trial) / 2 ** 32;
    const spread = (trial & 3) > 1 && (delivery === "last_byte" || delivery === "plain");
    const [first = 0, second = 0] = this.durations;
    const offset = spread ? draw * (first + second) - second : 0;
    return {
      meetAt,
      reversed,
      offsets: this.#requests.map((_, side) => (side === 0 ? Math.max(-offset, 0) : side === 1 ? Math.max(offset, 0) : 0)),
    };
  }
}
