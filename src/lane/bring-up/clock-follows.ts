import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { SeqqaError } from "../../model/errors.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";

/**
 * Time by which the check moves the target's clock forward, in milliseconds. It is so long that a time zone or a slow answer cannot be mistaken for
 * it.
 */
const MOVED_MS = 3 * 86_400_000;
/** Largest accepted difference between the `Date` header of the target's answer and the clock that seqqa set, in milliseconds. */
const TOLERANCE_MS = 10_000;
/** How long to wait for a new `Date` header, in milliseconds, since servers keep the value of this header for a second. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 200;

interface Clock extends StoreAdapter {
  advance(by: number): boolean;
  aheadMs(): number;
}

/**
 * Checks that the target uses the clock that seqqa sets: moves the clock, compares the `Date` header of an answer, and moves the clock back. Static
 * binaries, Go programs, and servers that a script starts elsewhere keep the real time, so all results about time would be wrong.
 * @throws SeqqaError `CLOCK_NOT_FOLLOWED` (exit status 2)
 */
export async function requireClockFollows(systems: Readonly<Record<string, StoreAdapter | undefined>>, baseUrl: string): Promise<void> {
  const found = Object.entries(systems).find(([, system]) => system?.aheadMs !== undefined);
  if (found === undefined) return;
  const [name, clock] = found as [string, Clock];
  const before = await clock.mark();
  try {
    clock.advance(MOVED_MS);
    const wanted = (): number => Date.now() + clock.aheadMs();
    let seen: string | undefined;
    for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await sleep(PAUSE_MS)) {
      seen = await dateOf(baseUrl);
      if (seen === undefined || Math.abs(Date.parse(seen) - wanted()) <= TOLERANCE_MS) break;
    }
    if (seen !== undefined && Math.abs(Date.parse(seen) - wanted()) <= TOLERANCE_MS) return;
    const why =
      seen === undefined
        ? "its answers have no Date header, so the clock cannot be read"
        : `its Date header says ${seen} when its clock should say ${new Date(wanted()).toUTCString()}`;
    throw new SeqqaError("CLOCK_NOT_FOLLOWED", `systems.${name} does not move the target's clock: ${why}.`, {
      exitStatus: 2,
      hint: "Start the target with target.command on this machine, as a dynamically linked program (Node, Python, Ruby, Java; not Go or static binaries).",
    });
  } finally {
    await clock.restore(before);
  }
}

/** Returns the `Date` header of the answer to `GET /`, also if the answer has an error status. */
async function dateOf(baseUrl: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(baseUrl, { timeout: 10_000, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.headers.date));
      answer.on("error", reject);
    });
    request.on("timeout", () => request.destroy(new Error("no answer within 10 s")));
    request.on("error", reject);
  });
}
