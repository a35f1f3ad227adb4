import { secondsOf, type Duration } from "../text/duration.ts";
import type { FaultKind } from "../results/result.ts";
import { invalid } from "./declared.ts";

export const FAULT_KINDS: readonly FaultKind[] = ["error", "cut", "kill", "lost_answer"];

/** The options for making writes fail. */
export interface FaultsOptions {
  /** The kinds of faults; default: all. */
  readonly kinds?: readonly FaultKind[];
  /** The time for making faults and confirming findings together: seconds, or a duration such as `"5m"`; default: no limit. */
  readonly maxTime?: Duration;
  /** Tables that a failed call may leave as they are neither before nor after it, such as `audit_*`; default: none. */
  readonly bestEffort?: readonly string[];
}

/** The setting for making writes fail. */
export type FaultsSetting = "off" | "on" | FaultsOptions;

/** The fault settings of an agent. The configuration decides the settings that are left out. */
export interface DeclaredFaults {
  readonly mode: "off" | "on";
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Seconds. */
  readonly maxTime?: number | undefined;
  readonly bestEffort?: readonly string[] | undefined;
}

/** @throws SeqqaError `AGENT_INVALID` for an invalid setting */
export function declaredFaults(setting: FaultsSetting | undefined): DeclaredFaults | undefined {
  if (setting === undefined) return undefined;
  if (setting === "off" || setting === "on") return { mode: setting };
  const { kinds, maxTime, bestEffort } = given(setting);
  const unknown = kinds?.find((kind) => !FAULT_KINDS.includes(kind));
  if (unknown !== undefined)
    throw invalid("Agent", `The Agent's faults.kinds has ${JSON.stringify(unknown)}; it may have ${FAULT_KINDS.join(", ")}.`);
  const seconds = maxTime === undefined ? undefined : secondsOf(maxTime);
  if (maxTime !== undefined && !(typeof seconds === "number" && seconds > 0))
    throw invalid("Agent", `The Agent's faults.maxTime is ${String(maxTime)}; it must be a number of seconds above 0.`);
  return { mode: "on", kinds, maxTime: seconds, bestEffort };
}

function given(setting: unknown): FaultsOptions {
  if (typeof setting === "object" && setting !== null && !Array.isArray(setting)) return setting;
  throw invalid(
    "Agent",
    `The Agent's faults is ${JSON.stringify(setting)}.`,
    'Write faults: "on", "off", or { kinds, maxTime, bestEffort }.',
  );
}
