import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** What came of one GET. */
export type Probe =
  | { readonly kind: "answer"; readonly status: number }
  /** Something listens there that speaks no HTTP. */
  | { readonly kind: "garbage" }
  | { readonly kind: "silent"; readonly error: NodeJS.ErrnoException };

/** Asks once, on a connection of its own, and reads no more than the head of the answer. Never rejects. */
export function probe(url: URL, timeoutMs: number, signal?: AbortSignal): Promise<Probe> {
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send(url, { agent: false, headers: { connection: "close" }, ...(signal === undefined ? {} : { signal }) });
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
