import type { WireAnswer, WireRequest } from "../../model/http/wire.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import { setCookies } from "../oracle/ends-itself.ts";
import { isRefusedWrite, type Refusals } from "../oracle/refused-requests.ts";
import type { Deliver } from "./race-scope.ts";

/** Returns a delivery that does not send the refused requests of calls, so that they have no effect. All other requests are sent by `deliver`. */
export function refusing(refusals: Refusals, deliver: Deliver = sendNow): Deliver {
  const left = new Map([...refusals].map(([side, { exchanges }]) => [side, [...exchanges]]));
  return (side, request, route, send) => {
    const exchange = takeLike(request, left.get(side) ?? []);
    const isRefused = exchange !== undefined && isRefusedWrite(exchange);
    return deliver(side, request, route, isRefused ? () => Promise.resolve(answerOf(exchange)) : send);
  };
}

const sendNow: Deliver = (_side, request, _route, send) => send(request);

/**
 * Removes and returns the exchange whose request is most like the given one; the first of several. Its place does not matter, because exchanges are
 * in the order of answers, and a call may send several requests at once.
 */
function takeLike(request: WireRequest, exchanges: RecordedExchange[]): RecordedExchange | undefined {
  const likenesses = exchanges.map((one) => likeness(one, request));
  const most = Math.max(0, ...likenesses);
  return most === 0 ? undefined : exchanges.splice(likenesses.indexOf(most), 1)[0];
}

function likeness({ request: { method, url, body } }: RecordedExchange, request: WireRequest): number {
  if (method !== request.method) return 0;
  if (url !== request.url) {
    if (withoutIds(url) === withoutIds(request.url)) return 1;
    // An id of letters alone looks like a word. The more segments are equal, the more likely it is the same request.
    const [one, other] = [url, request.url].map((path) => path.replace(/\?.*/s, "").split("/")) as [string[], string[]];
    return one.length === other.length ? one.filter((part, at) => part === other[at]).length / (2 * one.length) : 0;
  }
  return body === (request.body instanceof Uint8Array ? Buffer.from(request.body).toString() : request.body) ? 3 : 2;
}

/** Returns a URL without its query and without segments that may be ids of new rows, because these ids differ between executions. */
function withoutIds(url: string): string {
  return url.replace(/\?.*/s, "").replaceAll(/[^/]*\d[^/]*/g, "#");
}

function answerOf({ response }: RecordedExchange): WireAnswer {
  const { status, headers, body } = response!;
  return { status, headers, cookies: setCookies(headers), text: body };
}
