import type { Race } from "../../src/model/results/result.ts";

/**
 * The exploration of a scenario in fixtures/races. It has the same size with and without the race. It also lists the races that a run must report,
 * and those that it may report.
 */
export interface PlantedRaces {
  readonly name: string;
  readonly states: number;
  readonly transitions: number;
  /** The races that each run must find: both actions, the verdict, and the invariant if one is broken. */
  readonly found: readonly string[];
  /** Races that a run may also report, because the same defect causes them. They occur in few states, or only for one order of statements. */
  readonly besides?: readonly string[];
}

export const plantedRaces: readonly PlantedRaces[] = [
  {
    name: "coupon_twice",
    states: 3,
    transitions: 9,
    found: [
      "redeem_in_cart_1 || redeem_in_cart_1: responses",
      "redeem_in_cart_1 || redeem_in_cart_2: state",
      "redeem_in_cart_2 || redeem_in_cart_2: responses",
    ],
  },
  { name: "double_refund", states: 3, transitions: 9, found: ["refund_order || refund_order: invariant refund_within_amount"] },
  { name: "double_spend", states: 4, transitions: 8, found: ["spend || spend: invariant balance_not_negative"] },
  {
    name: "duplicate_name",
    states: 5,
    transitions: 10,
    found: ["register_ada || register_ada: state", "register_bob || register_bob: state"],
  },
  {
    name: "lost_update",
    states: 4,
    transitions: 8,
    found: ["like || like: state", "like || unlike: state", "unlike || unlike: state"],
    // In these states, the counter is at its maximum or at zero, so only one of the two calls is accepted.
    besides: ["like || like: responses", "like || unlike: responses", "unlike || unlike: responses"],
  },
  {
    name: "one_time_token",
    states: 3,
    transitions: 5,
    found: ["use_code || use_code: responses"],
    // If a code is requested while the code before is being used, the new code counts as used.
    besides: ["request_code || use_code: state"],
  },
  { name: "oversell", states: 13, transitions: 32, found: ["buy_lamp || buy_lamp: state"] },
  { name: "write_skew", states: 3, transitions: 12, found: ["leave_ada || leave_bob: invariant somebody_on_call"] },
];

/** Returns a race as a text of {@link PlantedRaces}. The order of the two actions does not matter. */
export function inWords({ first, second, verdict, invariant }: Pick<Race, "first" | "second" | "verdict" | "invariant">): string {
  return `${[first, second].sort().join(" || ")}: ${verdict}${invariant === undefined ? "" : ` ${invariant}`}`;
}
