import type { SecureContext } from "node:tls";
import { connected } from "./http2-session.ts";

/**
 * Requests without a `Host` header, to test if a server answers. An HTTP/1.1 server must reject them before it processes them. On a server that does
 * not check `Host`, `OPTIONS *` and `GET /` change nothing.
 */
export const REQUESTS = ["OPTIONS *", "GET /"] as const;

/** Resolves to `true` if the server sends nothing within `timeoutMs` after a request. Closing the connection counts as an answer. */
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
