import type { DeliveryPoint, DeliveryPoints } from "../../adapters/http/delivery/index.ts";
import { settled } from "../../lane/index.ts";
import type { RaceDelivery, RaceSchedule } from "../../model/results/result.ts";
import type { Gate, HeldWrite } from "../../model/stores/store-adapter.ts";
import type { Execution } from "../oracle/execution.ts";
import type { Calls } from "./calls.ts";

/** A trial, and whether its calls were in progress at the same time. */
export interface Trial {
  readonly execution: Execution;
  readonly overlapped: boolean;
  /** `true` if the target does not accept this delivery, so that a call without an answer says nothing. */
  readonly isRefused?: boolean;
}

/** The settings of one trial. */
export interface TrialPlan {
  /** Index of the request of each side that meets those of the others, from 0. */
  readonly meetAt: readonly number[];
  /** Delay in milliseconds of each side's release. */
  readonly offsets: readonly number[];
  /** `true` if the last side is sent first, where that makes a difference: of requests on one connection the server begins with the first. */
  readonly reversed: boolean;
}

/** A delivery: a way to make calls at the same time. */
export interface Delivery {
  readonly delivery: RaceDelivery;
  readonly schedule: RaceSchedule | undefined;
  /** Makes one trial; `undefined` if it was not possible, which says nothing. */
  try(calls: Calls, plan: TrialPlan): Promise<Trial | undefined>;
}

/** Returns a delivery over HTTP. Requests on the route of the meeting points meet there; other requests are sent directly. */
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
        // The server closed the connection after the first answer: it does not pipeline.
        points.refuses(point.delivery);
        return { execution, overlapped: false, isRefused: true };
      }
      return { execution, overlapped: meet(meeting.intervals) };
    },
  };
}

/** The delivery for calls in process, or by a client of the user's own: the calls are begun in one turn of the event loop. */
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

/** Pause between two checks of whether the others wait for the held call, and the limit of waiting. Milliseconds. */
const LOOK = 4;
const PATIENCE = 3000;

/** Largest number of tries while another write is held than the one that the schedule names. */
const TRIES = 3;

/**
 * Returns a delivery that holds one call before one of its writes until the others are done, or wait for it. Writes of the target's own jobs count
 * too: if another write than the schedule's is held, the trial begins again. If that happens each time, the target has changed, and the held write is
 * accepted.
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
      let triesLeft = TRIES;
      const isAnother = ({ statement }: HeldWrite): boolean =>
        triesLeft > 0 && schedule.statement !== "" && statement !== schedule.statement;
      const attempt: Parameters<Calls["together"]>[0] = async (call) => {
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
          // A control arm: the held call continues and ends before the others begin.
          const staggered = offsets.some((offset) => offset > 0);
          if (staggered) {
            await gate.release();
            await first;
          }
          const rest = settled(others.map((side) => call(side)));
          if (held && !staggered) await doneOrBlocked(gate, rest);
          await gate.release();
          await settled<unknown>([first, rest]);
        } finally {
          await gate.release();
        }
        return held;
      };
      let execution: Execution | undefined;
      while (execution === undefined && triesLeft > 0) execution = await calls.together(attempt);
      return execution === undefined ? undefined : { execution, overlapped: held };
    },
  };
}

async function doneOrBlocked(gate: Gate, rest: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = rest.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  const until = performance.now() + PATIENCE;
  while (!isDone && performance.now() < until) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, LOOK))]);
    if (!isDone && (await gate.view()).kind === "blocked") return;
  }
}

function meet(intervals: readonly ({ readonly from: number; readonly to: number } | undefined)[]): boolean {
  const known = intervals.filter((one) => one !== undefined);
  return known.some((a, at) => known.some((b, other) => other > at && a.from < b.to && b.from < a.to));
}
