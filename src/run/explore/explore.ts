import type { ExplorationResult } from "../../model/results/result.ts";
import { withLanes } from "../lanes/open-lanes.ts";
import type { ExploreInput } from "../prepare/explore-request.ts";
import { bringUp, lanesInput, planExploration, withWorkers } from "./bring-up.ts";
import { conclude } from "./conclude.ts";
import { search } from "./search.ts";

/** Runs the stages of an exploration, and closes all lanes at the end. @throws SeqqaError if the exploration cannot start */
export async function explore(input: ExploreInput): Promise<ExplorationResult> {
  const plan = planExploration(input);
  return withLanes(lanesInput(plan), (home) =>
    withWorkers(plan, home, async (lanes) => {
      const exploration = await bringUp(plan, lanes);
      const searched = await search(exploration);
      return conclude(exploration, searched);
    }),
  );
}
