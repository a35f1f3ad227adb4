import type { Explorer } from "../../engine/search/explorer.ts";
import { durationText } from "../../state/index.ts";

const TWO_PACKETS =
  "The target sends each answer in two packets, which costs about 40 ms on a connection that is kept open (Nagle's algorithm and delayed ACK). " +
  "seqqa uses a new connection for each request. To make the target faster, send headers and body in one write, or set TCP_NODELAY.";

/** Shorter waits are not worth a note. In milliseconds, on all lanes together. */
const LONG_WAIT_MS = 10_000;

/** Returns notes about properties of the target that made the run slow. */
export function slowTargetNotes({ twoPackets, waitedMs }: Pick<Explorer, "twoPackets" | "waitedMs">): readonly string[] {
  return [...(twoPackets ? [TWO_PACKETS] : []), ...waitNote(waitedMs)];
}

/** @param waitedMs By action: how long lanes waited for the next second, because the action returned a token again. */
function waitNote(waitedMs: ReadonlyMap<string, number>): readonly string[] {
  const totalMs = [...waitedMs.values()].reduce((sum, ms) => sum + ms, 0);
  if (totalMs < LONG_WAIT_MS) return [];
  const names = [...waitedMs.keys()].toSorted().join(", ");
  return [
    `The lanes waited ${durationText(Math.round(totalMs / 1_000) * 1_000)} in total, because ${names} returned the same token when called twice in one second: ` +
      "the only thing that differs between two such tokens is a time in whole seconds. seqqa called again in the next second. " +
      "To make the run faster, give each token a random id (in a JWT, the claim `jti`).",
  ];
}
