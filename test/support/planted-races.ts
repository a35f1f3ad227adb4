import type { Race } from "../../src/model/results/result.ts";

/** The exploration of a scenario of fixtures/races: its size, which is the same with the race and without, and what a run must or may say of the race. */
export interface PlantedRaces {
  readonly name: string;
  readonly states: number;
  readonly transitions: number;
  /** Found by each run: both actions, the verdict, and the invariant if it is one's. */
  readonly found: readonly string[];
  /** Races that the same defect causes, in few states or by one order of statements of many. */
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
    // Where only one of two is accepted, for the counter is full or at zero.
    besides: ["like || like: responses", "like || unlike: responses", "unlike || unlike: responses"],
  },
  {
    name: "one_time_token",
    states: 3,
    transitions: 5,
    found: ["use_code || use_code: responses"],
    // A code that was sent while the one before is used counts as used.
    besides: ["request_code || use_code: state"],
  },
  { name: "oversell", states: 13, transitions: 32, found: ["buy_lamp || buy_lamp: state"] },
  { name: "write_skew", states: 3, transitions: 12, found: ["leave_ada || leave_bob: invariant somebody_on_call"] },
];

/** A race in the words of {@link PlantedRaces}; a pair has no order. */
export function inWords({ first, second, verdict, invariant }: Pick<Race, "first" | "second" | "verdict" | "invariant">): string {
  return `${[first, second].sort().join(" || ")}: ${verdict}${invariant === undefined ? "" : ` ${invariant}`}`;
}
