import { SeqqaError } from "../../model/errors.ts";
import type { TargetClockOptions } from "./target-clock.ts";

/** The ways in which seqqa moves a clock. The host of a `clock:` URL names one of them. */
export type ClockKind = "libfaketime" | "in-process";

const KEYS = ["max_advances", "probe"];

/** Returns the kind of the clock of a configured URL. @throws SeqqaError `CLOCK_URL_INVALID` */
export function requireClockUrl(name: string, url: string): ClockKind {
  const { hostname, pathname, searchParams } = new URL(url);
  const most = searchParams.get("max_advances") ?? "1";
  const probe = searchParams.get("probe") ?? "/";
  const isKnown = [...searchParams.keys()].every((key) => KEYS.includes(key));
  const isKind = hostname === "libfaketime" || hostname === "in-process";
  if (isKind && pathname.length <= 1 && isKnown && /^[1-9]\d*$/.test(most) && /^\/(?!\/)[^\\\u0000-\u0020]*$/.test(probe)) return hostname;
  throw new SeqqaError("CLOCK_URL_INVALID", `The url of systems.${name} is ${JSON.stringify(url)}, which is not a valid clock URL.`, {
    exitStatus: 2,
    hint: "Write clock://libfaketime, or clock://in-process for a target.module. Options follow the URL, for example clock://libfaketime?max_advances=5&probe=/time.",
  });
}

export function clockOptions(url: string): TargetClockOptions {
  const { searchParams } = new URL(url);
  const most = searchParams.get("max_advances");
  return { probe: searchParams.get("probe") ?? undefined, ...(most !== null && { maxAdvances: Number(most) }) };
}
