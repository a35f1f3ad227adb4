import { secondsOf, type Duration } from "../../text/duration.ts";
import type { FaultKind } from "../../results/result.ts";
import { invalid } from "../declared.ts";
import { refuseUnknown } from "../unknown-options.ts";

export const FAULT_KINDS: readonly FaultKind[] = ["error", "cut", "kill", "lost_answer"];

/** Options for fault injection, which makes writes of the target fail. */
export interface FaultsOptions {
  /** The kinds of faults to inject. Default: all kinds. */
  readonly kinds?: readonly FaultKind[];
  /** The time limit for injecting faults and confirming findings together: seconds, or a duration such as `"5m"`. Default: no limit. */
  readonly maxTime?: Duration;
  /**
   * Tables, columns and stores without tables that are not compared after a failed or repeated call, because the target writes them on a best-effort
   * basis, such as `audit_*`, `orders.version` or `payments`. Default: none.
   */
  readonly bestEffort?: readonly string[];
}

/** The setting for fault injection, which makes writes of the target fail. */
export type FaultsSetting = "off" | "on" | FaultsOptions;

/** The fault settings of an agent. The configuration supplies the settings that are `undefined`. */
export interface DeclaredFaults {
  readonly mode: "off" | "on";
  readonly kinds?: readonly FaultKind[] | undefined;
  /** The time limit, in seconds. */
  readonly maxTime?: number | undefined;
  readonly bestEffort?: readonly string[] | undefined;
}

/** Returns the checked fault settings. @throws SeqqaError `AGENT_INVALID` for an invalid setting */
export function declaredFaults(setting: FaultsSetting | undefined): DeclaredFaults | undefined {
  if (setting === undefined) return undefined;
  if (setting === "off" || setting === "on") return { mode: setting };
  const { kinds, maxTime, bestEffort, mode } = given(setting);
  const unknown = kinds?.find((kind) => !FAULT_KINDS.includes(kind));
  if (unknown !== undefined)
    throw invalid("Agent", `The Agent's faults.kinds contains ${JSON.stringify(unknown)}; the valid kinds are ${FAULT_KINDS.join(", ")}.`);
  const seconds = maxTime === undefined ? undefined : secondsOf(maxTime);
  if (maxTime !== undefined && !(typeof seconds === "number" && seconds > 0))
    throw invalid("Agent", `The Agent's faults.maxTime is ${String(maxTime)}; it must be a number of seconds above 0.`);
  return { mode: mode === "off" ? mode : "on", kinds, maxTime: seconds, bestEffort };
}

/** `mode` is allowed, because the settings that a copy of an Agent (`{ ...agent }`) passes contain `mode`. */
const OPTIONS: readonly (keyof FaultsOptions | "mode")[] = ["kinds", "maxTime", "bestEffort", "mode"];

function given(setting: unknown): FaultsOptions & Partial<Pick<DeclaredFaults, "mode">> {
  if (typeof setting === "object" && setting !== null && !Array.isArray(setting)) {
    refuseUnknown("The Agent's faults", "AGENT_INVALID", setting, OPTIONS);
    return setting;
  }
  throw invalid(
    "Agent",
    `The Agent's faults cannot be ${JSON.stringify(setting)}.`,
    'Write faults: "on", "off", or { kinds, maxTime, bestEffort }.',
  );
}
