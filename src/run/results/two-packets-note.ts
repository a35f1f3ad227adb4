import type { Explorer } from "../../engine/search/explorer.ts";

const NOTE =
  "The target sends each answer in two packets, which costs about 40 ms on a connection that is kept open (Nagle's algorithm and delayed ACK). " +
  "seqqa uses a new connection for each request. To make the target faster, send headers and body in one write, or set TCP_NODELAY.";

/** Returns a note if a lane detected that kept-alive connections to the target are slow, because requests are sent in two packets. */
export function twoPacketsNote({ twoPackets }: Pick<Explorer, "twoPackets">): readonly string[] {
  return twoPackets ? [NOTE] : [];
}
