import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds to wait until the system has closed all sockets of a crashed process. */
const CRASH_MS = 30;
/**
 * A server counts as listening only if a connection stays open for this many milliseconds. A proxy in front of a dead process accepts connections and
 * closes them immediately.
 */
const KEPT_MS = 50;
const CONNECT_MS = 2000;

/** Returns `true` if a server accepts connections at this origin and keeps them open. No request is sent. */
export async function isListening(origin: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(origin);
  await sleep(CRASH_MS);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  });
  try {
    return await new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), CONNECT_MS);
      const gone = (): void => {
        clearTimeout(late);
        resolve(false);
      };
      socket.on("error", gone).on("end", gone).on("close", gone);
      socket.once("connect", () => {
        clearTimeout(late);
        setTimeout(() => resolve(true), KEPT_MS);
      });
      // Read from the socket, because Node notices the end of a connection only while it reads.
      socket.resume();
    });
  } finally {
    socket.destroy();
  }
}
