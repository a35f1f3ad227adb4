import { invalid } from "../declared.ts";
import { secondsOf, type Duration } from "../../text/duration.ts";
import type { RaceDelivery } from "../../results/result.ts";
import { refuseUnknown } from "../unknown-options.ts";

/** Options for probing pairs of actions for races. */
export interface RacesOptions {
  /** The number of concurrent trials for a suspect pair. Default 20. */
  readonly trials?: number;
  /**
   * The method by which the calls of a race reach the target at the same time. Default `auto`: first `gated` (one call is held before a write) if a
   * store can hold writes, then the methods that the target's protocol allows.
   */
  readonly delivery?: "auto" | RaceDelivery;
  /** The number of calls of one action that are sent at once, 2 to 100. Default 2. */
  readonly copies?: number;
  /** The time limit for probing and confirming together: seconds, or a duration such as `"5m"`. Default: no limit. */
  readonly maxTime?: Duration;
}

/** The setting for the search for races, which sends pairs of actions at the same time. */
export type RacesSetting = "off" | "pairs" | RacesOptions;

/** The race settings of an agent. The configuration supplies the settings that are `undefined`. */
export interface DeclaredRaces {
  readonly mode: "off" | "pairs";
  readonly trials?: number | undefined;
  readonly delivery?: "auto" | RaceDelivery | undefined;
  readonly copies?: number | undefined;
  /** The time limit, in seconds. */
  readonly maxTime?: number | undefined;
}

const DELIVERIES: readonly unknown[] = ["auto", "http2", "pipelined", "last_byte", "plain", "gated"] satisfies ("auto" | RaceDelivery)[];

/** Returns the checked race settings. @throws SeqqaError `AGENT_INVALID` for an invalid setting */
export function declaredRaces(setting: RacesSetting | undefined): DeclaredRaces | undefined {
  if (setting === undefined) return undefined;
  if (setting === "off" || setting === "pairs") return { mode: setting };
  const { trials, delivery, copies, maxTime, mode } = given(setting);
  if (delivery !== undefined && !DELIVERIES.includes(delivery))
    throw invalid("Agent", `The Agent's races.delivery is ${String(delivery)}; it must be one of ${DELIVERIES.join(", ")}.`);
  const seconds = maxTime === undefined ? undefined : secondsOf(maxTime);
  if (maxTime !== undefined && !(typeof seconds === "number" && seconds > 0))
    throw invalid("Agent", `The Agent's races.maxTime is ${String(maxTime)}; it must be a number of seconds above 0.`);
  return {
    mode: mode === "off" ? mode : "pairs",
    delivery,
    maxTime: seconds,
    trials: within("trials", trials, 1, Number.MAX_SAFE_INTEGER),
    copies: within("copies", copies, 2, 100),
  };
}

/** `mode` is allowed, because the settings that a copy of an Agent (`{ ...agent }`) passes contain `mode`. */
const OPTIONS: readonly (keyof RacesOptions | "mode")[] = ["trials", "delivery", "copies", "maxTime", "mode"];

function given(setting: unknown): RacesOptions & Partial<Pick<DeclaredRaces, "mode">> {
  if (typeof setting === "object" && setting !== null && !Array.isArray(setting)) {
    refuseUnknown("The Agent's races", "AGENT_INVALID", setting, OPTIONS);
    return setting;
  }
  throw invalid(
    "Agent",
    `The Agent's races cannot be ${JSON.stringify(setting)}.`,
    'Write races: "pairs", "off", or { trials, delivery, copies, maxTime }.',
  );
}

function within(name: string, value: number | undefined, least: number, most: number): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw invalid("Agent", `The Agent's races.${name} is ${String(value)}; it must be an integer ${range}.`);
}
