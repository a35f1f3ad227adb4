import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import type { RaceReplay, ReplayedRace } from "../../model/results/replay.ts";
import type { RaceOutcome } from "../../model/results/result.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";

/** Default number of trials. */
const TRIALS = 20;

/** Returns the request that makes a lane send calls at the same time at the end of a path. */
export function callsRequest(
  race: RaceReplay,
  place: Pick<RaceRequest, "path" | "draws" | "sides">,
  { trials = TRIALS, seed }: { readonly trials?: number | undefined; readonly seed: number },
): RaceRequest {
  const { delivery = "auto", schedule, verdict, invariant } = race;
  const count = race.trials ?? trials;
  return {
    ...place,
    effort: { first: count, trials: count, delivery, seed },
    schedule,
    // Without a verdict any hit counts as the race.
    wanted: verdict === undefined ? undefined : { verdict, invariant },
    mode: "measure",
  };
}

/** Returns the results of the calls. */
export function callsResult(answer: RaceAnswer, urls: ShownUrls): ReplayedRace {
  const { hit, hits, trials, misses } = answer;
  const outcome = (one: RaceOutcome): RaceOutcome => ({
    ...one,
    calls: one.calls.map((call) => ({ ...call, requests: call.requests.map((exchange) => urls.exchange(exchange)) })),
  });
  const shown = hit?.observed ?? answer.last;
  return {
    hits,
    trials,
    misses,
    ...(hit === undefined ? {} : { verdict: hit.verdict, invariant: hit.invariant, message: urls.text(hit.message) }),
    observed: shown === undefined ? undefined : outcome(shown),
    inconclusive: hits > 0 ? undefined : whyNot(answer, urls),
  };
}

/** Returns the reason why a replay without a hit is inconclusive; `undefined`: the trials show no race. */
function whyNot({ failure, dismissed, trials, misses }: RaceAnswer, urls: ShownUrls): string | undefined {
  if (failure !== undefined) return urls.text(failure.message);
  if (dismissed === "not_there") return "the path led to another state";
  if (dismissed === "order_fails") return "one after the other, the calls do not come to their ends";
  if (dismissed === "one_connection") return "the target serves one connection at a time, so that calls do not meet there";
  if (dismissed === "control") return "calls that are 50 ms apart show it, too, so that it is no race";
  if (dismissed === "noise") return "one order of the calls comes out differently each time";
  if (trials > 0) return undefined;
  return misses > 0 ? `in none of ${misses} trials did the calls overlap` : "the calls could not be made to meet";
}
