import type { WireAnswer } from "../../model/http/wire.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import { setCookies } from "../oracle/ends-itself.ts";
import { isRefusedWrite, type Refusals } from "../oracle/refused-requests.ts";
import type { Deliver } from "./race-scope.ts";

/** Returns a delivery that does not send the refused requests of calls, so that they have no effect. All other requests are sent by `deliver`. */
export function refusing(refusals: Refusals, deliver: Deliver = sendNow): Deliver {
  const sent = new Map<number, number>();
  return (side, request, route, send) => {
    const place = sent.get(side) ?? 0;
    sent.set(side, place + 1);
    const exchange = refusals.get(side)?.exchanges[place];
    const isRefused = exchange !== undefined && exchange.request.method === request.method && isRefusedWrite(exchange);
    return deliver(side, request, route, isRefused ? () => Promise.resolve(answerOf(exchange)) : send);
  };
}

const sendNow: Deliver = (_side, request, _route, send) => send(request);

function answerOf({ response }: RecordedExchange): WireAnswer {
  const { status, headers, body } = response!;
  return { status, headers, cookies: setCookies(headers), text: body };
}
