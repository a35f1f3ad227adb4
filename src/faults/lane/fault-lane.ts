import type { FaultAnswer, FaultRequest } from "../../messages/fault-messages.ts";
import type { LaneWork } from "../../lane/index.ts";
import { FaultProber } from "./fault-prober.ts";

/** Makes the writes of a call fail on a lane, one at a time. */
export function tryFaults(work: LaneWork, request: FaultRequest): Promise<FaultAnswer> {
  return work.lend((ground) => new FaultProber(ground, request).run());
}
