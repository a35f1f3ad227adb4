import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
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
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const trusted = url.protocol === "https:" ? secureContext(ca) : undefined;
    const request = send(url, {
      agent: false,
      headers: { connection: "close" },
      ...(signal !== undefined && { signal }),
      ...(trusted !== undefined && { secureContext: trusted }),
    });
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" }));
    }, timeoutMs);
    const settle = (result: Probe): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(result);
    };
    request.once("response", (response) => settle({ kind: "answer", status: response.statusCode ?? 0 }));
    request.once("upgrade", () => settle({ kind: "answer", status: 101 }));
    request.on("error", (error: NodeJS.ErrnoException) => {
      const head = error.code?.startsWith("HPE_") === true;
      settle(head ? { kind: "garbage" } : { kind: "silent", error });
    });
    request.end();
  });
}
