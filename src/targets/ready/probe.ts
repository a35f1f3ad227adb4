import { request as httpRequest, type ClientRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { connect, type Socket } from "node:net";
import { secureContext } from "../../network/secure-context.ts";

export type Probe =
  | { readonly kind: "answer"; readonly status: number }
  /** The server's answer was not HTTP. */
  | { readonly kind: "garbage" }
  | { readonly kind: "silent"; readonly error: NodeJS.ErrnoException };

/**
 * Sends one GET on a new connection without a proxy, and reads only the status and headers of the answer. The promise never rejects.
 * @param ca Certificates that are trusted in addition to Node's own.
 */
export function probe(url: URL, timeoutMs: number, signal?: AbortSignal, ca: readonly string[] = []): Promise<Probe> {
  return new Promise((resolve) => {
    let open: Socket | ClientRequest | undefined;
    const settle = (result: Probe): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", give);
      open?.destroy();
      resolve(result);
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      const head = error.code?.startsWith("HPE_") === true;
      settle(head ? { kind: "garbage" } : { kind: "silent", error });
    };
    const timer = setTimeout(() => {
      fail(Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" }));
    }, timeoutMs);
    const give = (): void => settle({ kind: "silent", error: new Error("No answer is needed any longer.") });
    if (signal?.aborted === true) return give();
    signal?.addEventListener("abort", give);
    const headers = { connection: "close" };
    const send = (socket?: Socket): void => {
      try {
        const trusted = socket === undefined ? secureContext(ca) : undefined;
        const request =
          socket === undefined
            ? httpsRequest(url, { headers, agent: false, ...(trusted !== undefined && { secureContext: trusted }) } as RequestOptions)
            : httpRequest(url, { headers, createConnection: () => socket });
        open = request;
        request.once("response", (response) => settle({ kind: "answer", status: response.statusCode ?? 0 }));
        request.once("upgrade", () => settle({ kind: "answer", status: 101 }));
        request.on("error", fail);
        request.end();
      } catch (error) {
        // For example, a user name in the URL cannot be decoded.
        fail(error as Error);
      }
    };
    if (url.protocol === "https:") return send();
    // While a target starts, most attempts end with a refused connection, which costs a third if no request was made for it.
    const socket = connect(Number(url.port || 80), url.hostname.replace(/[[\]]/g, ""));
    open = socket;
    socket.on("error", fail);
    socket.once("connect", () => send(socket));
  });
}
