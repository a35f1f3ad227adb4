import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { connectionDefaults } from "../../network/connection-settings.ts";
import { secureContext } from "../../network/secure-context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Lane } from "../../model/declare/lane.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import { probeTime } from "./probe-time.ts";

/**
 * Time by which the check moves the target's clock forward, in milliseconds. Neither a wrong time zone nor a slow answer causes such a large
 * difference.
 */
const MOVED_MS = 3 * 86_400_000;
/** Largest accepted difference between the `Date` header of the target's answer and the clock that seqqa set, in milliseconds. */
const TOLERANCE_MS = 10_000;
/** How long to wait for a new `Date` header, in milliseconds. Servers use one value of this header for a whole second. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 200;
const TIMEOUT_MS = 10_000;
/** Maximum number of characters that are read of a probe's answer. */
const MOST_TEXT = 10_000;
/** Maximum number of characters that a message quotes of a probe's answer. */
const MOST_QUOTED = 60;

interface Clock extends StoreAdapter {
  advance(by: number): boolean;
  aheadMs(): number;
  readonly probe?: string | undefined;
}

/** A time that the target reported. */
interface Seen {
  readonly ms: number;
  readonly text: string;
}

type Target = Pick<Lane, "baseUrl" | "fetch">;

/**
 * Checks that the target uses the clock that seqqa sets: moves the clock, reads the time of the target, and moves the clock back. The time is read
 * from the answer to the probe if there is a probe, otherwise from the `Date` header of an answer. For a target in this process, seqqa reads the
 * clock of the target directly. Static binaries, Go programs, and servers that a script starts elsewhere keep the real time, so all results about
 * time would be wrong.
 * @throws SeqqaError `CLOCK_NOT_FOLLOWED`, `CLOCK_PROBE_INVALID` (exit status 2)
 */
export async function requireClockFollows(systems: Readonly<Record<string, StoreAdapter | undefined>>, target: Target): Promise<void> {
  const found = Object.entries(systems).find(([, system]) => system?.aheadMs !== undefined);
  if (found === undefined) return;
  const [name, clock] = found as [string, Clock];
  const before = await clock.mark();
  try {
    clock.advance(MOVED_MS);
    const wanted = (): number => Date.now() + clock.aheadMs();
    const follows = (seen: Seen | undefined): boolean => seen !== undefined && Math.abs(seen.ms - wanted()) <= TOLERANCE_MS;
    let seen: Seen | undefined;
    for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; await sleep(PAUSE_MS)) {
      seen = await look(name, clock, target);
      if (follows(seen)) return;
      if (seen === undefined) break;
    }
    const isInProcess = clock.callTarget !== undefined;
    const source =
      clock.probe === undefined ? `the target's Date${isInProcess ? "" : " header"}` : `the target's answer to GET ${clock.probe}`;
    const why =
      seen === undefined
        ? "the target's answers have no Date header, so seqqa cannot read the clock"
        : `${source} shows ${seen.text}, but the clock was set to ${new Date(wanted()).toUTCString()}`;
    throw new SeqqaError("CLOCK_NOT_FOLLOWED", `systems.${name} does not move the target's clock: ${why}.`, {
      exitStatus: 2,
      hint:
        seen !== undefined && !isInProcess
          ? "Start the target with target.command on this machine. libfaketime works for dynamically linked programs (Node, Python, Ruby, Java), but not for Go or static binaries."
          : isInProcess
            ? "Make the target read the time with Date.now() or new Date(), not from a store or from its own Date class."
            : "Name a path of the target whose answer contains the time, for example clock://libfaketime?probe=/time.",
    });
  } finally {
    await clock.restore(before);
    await untilBack(clock, target);
  }
}

/**
 * Waits until the `Date` header of the target shows the time of the clock again. Node, for example, writes one value of this header for a whole
 * second, so the first steps would get answers with the time of the check.
 */
async function untilBack(clock: Clock, target: Target): Promise<void> {
  if (clock.callTarget !== undefined || target.fetch !== undefined) return;
  for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; await sleep(PAUSE_MS)) {
    const { date } = await answerOf(target.baseUrl).catch(() => ({ date: undefined }));
    if (date === undefined || Math.abs(Date.parse(date) - Date.now() - clock.aheadMs()) <= TOLERANCE_MS) return;
  }
}

async function look(name: string, clock: Clock, target: Target): Promise<Seen | undefined> {
  if (clock.probe !== undefined) return probed(name, clock.probe, target);
  // For a target in this process, read the clock directly. A `Date` header that Node writes shows the real time, and fetch handlers write no `Date`
  // header.
  const own = clock.callTarget?.(() => new Date());
  if (own !== undefined) return { ms: own.getTime(), text: own.toUTCString() };
  const { date } = await answerOf(target.baseUrl);
  return date === undefined ? undefined : { ms: Date.parse(date), text: date };
}

/** Reads the time from the target's answer to the probe. @throws SeqqaError `CLOCK_PROBE_INVALID` */
async function probed(name: string, probe: string, { fetch, baseUrl }: Target): Promise<Seen> {
  const { status, text } =
    fetch === undefined ? await answerOf(baseUrl.replace(/\/+$/, "") + probe) : await answerInProcess(fetch, `http://localhost${probe}`);
  const ms = status >= 200 && status < 300 ? probeTime(text) : undefined;
  if (ms !== undefined) return { ms, text: new Date(ms).toUTCString() };
  const shown = JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);
  throw new SeqqaError(
    "CLOCK_PROBE_INVALID",
    `The target's answer to ${probe}, the probe of systems.${name}, contains no time: status ${status}, ${shown}.`,
    {
      exitStatus: 2,
      hint: "Make the target answer with an ISO 8601 time, or with seconds or milliseconds since 1970. JSON with the field now, time, date or timestamp also works.",
    },
  );
}

interface Answer {
  readonly status: number;
  readonly date: string | undefined;
  /** The first characters of the response body. */
  readonly text: string;
}

async function answerInProcess(fetch: NonNullable<Lane["fetch"]>, url: string): Promise<Answer> {
  const answer = await fetch(new Request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }));
  return { status: answer.status, date: undefined, text: (await answer.text()).slice(0, MOST_TEXT) };
}

/** Sends a `GET` request and returns the answer, whatever its status. */
async function answerOf(url: string): Promise<Answer> {
  const isSecure = url.startsWith("https:");
  const trusted = isSecure ? secureContext(connectionDefaults().ca) : undefined;
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS), agent: false, ...(trusted !== undefined && { secureContext: trusted }) };
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsGet : httpGet)(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => (text = text.length < MOST_TEXT ? (text + part).slice(0, MOST_TEXT) : text));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, date: answer.headers.date, text }));
      answer.on("error", reject);
    });
    request.on("error", reject);
  });
}
