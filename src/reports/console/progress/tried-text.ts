import type { TriedStep } from "../../../engine/events.ts";
import { duration } from "../text/numbers.ts";
import { printable } from "../text/printable.ts";

/** Returns a line for each request of a step: `state 12  pay_order  POST http://127.0.0.1:3000/orders/1/pay -> 200 in 2 ms, state 13 is new`. */
export function triedLines({ from, action, to, isNew, exchanges }: TriedStep): readonly string[] {
  const led = to < 0 ? ", no state" : isNew ? `, state ${to} is new` : to === from ? "" : `, state ${to}`;
  return exchanges.map(({ request, response, error, durationMs }, index) => {
    const answer = response === undefined ? (error ?? "no answer") : String(response.status);
    const line = `state ${from}  ${action}  ${request.method} ${request.url} -> ${answer} in ${duration(durationMs)}`;
    return printable(index === exchanges.length - 1 ? `${line}${led}` : line);
  });
}
