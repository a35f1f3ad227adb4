import { contextPartOf, storeOf, type Context, type Values } from "../../model/context/context.ts";
import type { ApiClient } from "../../model/http/client.ts";
import { Action } from "../../model/declare/action.ts";
import { ApiResponse } from "../../model/http/response.ts";
import type { TargetClock } from "./target-clock.ts";

/** Options of {@link advanceClock}. */
export interface AdvanceClockOptions {
  /** The name of the clock in the world. Default: `clock`. */
  readonly store?: string;
  /** The name of the action. Default: `advance_` and the time span, e.g. `advance_30_days`. */
  readonly name?: string;
}

/**
 * Returns an action that moves the target's clock ahead, e.g. `advanceClock("30 days")`. Keys of Redis stores expire if their lifetime ends before
 * the new time. A path contains at most `max_advances` such moves.
 */
export function advanceClock<C extends object = Values, A = ApiClient>(
  by: number | string,
  { store = "clock", name = `advance_${String(by).trim().replaceAll(/\s+/g, "_")}` }: AdvanceClockOptions = {},
): Action<C, A> {
  return new Action<C, A>({
    name,
    description: `${typeof by === "number" ? `${by} ms` : by} pass`,
    tags: ["clock"],
    run: async (_api, context) => {
      const clock = storeOf<TargetClock>(context, store);
      const before = clock.aheadMs();
      if (!clock.advance(by)) return null;
      const stores = contextPartOf(context as Context<never>).stores();
      for (const one of Object.values(stores)) await one?.passTime?.(clock.aheadMs() - before);
      return ApiResponse.of(200, { advanced: by });
    },
  });
}
