import type { Config } from "../../config/index.ts";
import type { LaneOptions } from "../../lane/index.ts";
import { idleMsOf } from "../explore/idle-watch.ts";
import { NOTHING_KNOWN, opaqueTokens } from "../../state/index.ts";

/** Returns the options that are equal for all lanes of a run. `literals`: string literals of the user's own code. */
export function laneOptions(
  config: Config,
  {
    literals = [],
    dataSeed,
    shapes,
    gated,
    earlierClocksMs,
  }: {
    readonly literals?: readonly string[] | undefined;
    readonly dataSeed: number;
    readonly shapes: boolean;
    readonly gated?: boolean | undefined;
    readonly earlierClocksMs?: readonly number[] | undefined;
  },
): LaneOptions {
  return {
    clockMs: Date.now(),
    earlierClocksMs,
    settleMs: (config.target?.settle ?? 0) * 1000,
    serverErrors: config.exploration.serverErrors,
    hideBodies: !config.report.includeRequestResponse,
    literals: literals.flatMap((literal) => [...opaqueTokens(literal)]),
    knowledge: NOTHING_KNOWN,
    idleWatchMs: idleMsOf(config),
    allowedStores: config.allowedStores,
    dataSeed,
    shapes,
    gated,
  };
}
