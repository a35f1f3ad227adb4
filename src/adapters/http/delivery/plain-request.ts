import type { SecureContext } from "node:tls";
import { connected } from "./http2-session.ts";

/**
 * Harmless requests, sent without `Host`. An HTTP/1.1 server has to refuse them before it does anything.
 * A server that does not check for `Host` executes something that changes nothing.
 */
export const REQUESTS = ["OPTIONS *", "GET /"] as const;

/**
 * Resolves to `true` if the server says nothing at all to a request in that time. Any answer, even closing the connection, shows that the server
 * serves it.
 */
export function isSilentTo(
  request: (typeof REQUESTS)[number],
  origin: string,
  secure: SecureContext | undefined,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isSilent: boolean): void => {
      clearTimeout(timer);
      resolve(isSilent);
      socket.destroy();
    };
    const answered = (): void => end(false);
    const timer = setTimeout(() => end(socket.bytesRead === 0), timeoutMs);
    const socket = connected(origin, secure, ["http/1.1"], () => socket.write(`${request} HTTP/1.1\r\nConnection: close\r\n\r\n`));
    socket.on("error", answered);
    socket.once("data", answered);
    socket.once("close", answered);
  });
}
