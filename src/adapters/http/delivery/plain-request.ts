import type { SecureContext } from "node:tls";
import { connected } from "./http2-session.ts";

/**
 * Requests that every server of HTTP/1.1 has to answer, and that ask for nothing: without a `Host` they are to be refused before anything is done for
 * them. One that does not look for it is asked for what changes nothing.
 */
export const REQUESTS = ["OPTIONS *", "GET /"] as const;

/** Whether the server says nothing at all to a request in that time. Whatever it says, it serves the connection; if only by closing it. */
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
