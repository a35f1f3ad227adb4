import { isRefusal } from "../../model/http/refusal.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { CallEnd } from "./execution.ts";

/** The calls whose refused requests are not sent again, by the indices of the calls. These requests get the recorded refusals as answers. */
export type Refusals = ReadonlyMap<number, Pick<CallEnd, "exchanges">>;

export const NO_REFUSALS: Refusals = new Map();

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns `true` if the target refused a request that could have written. */
export function isRefusedWrite({ request, response }: RecordedExchange): boolean {
  return response !== undefined && !READS.has(request.method) && isRefusal({ statusCode: response.status, request, text: response.body });
}

/** Returns `true` if two calls have equally many refused requests that could have written, with the same statuses. */
export function haveSameRefusals(a: Pick<CallEnd, "exchanges">, b: Pick<CallEnd, "exchanges">): boolean {
  const [left, right] = [a, b].map(({ exchanges }) => exchanges.filter(isRefusedWrite).map(({ response }) => response!.status));
  return left!.join() === right!.join();
}

/**
 * Returns a text that is equal for refusals with the same effect on the calls.
 * @param blank Replaces the parts of URLs and bodies that differ in each trial, such as times.
 */
export function keyOf(refusals: Refusals, blank: (text: string) => string): string {
  const known = ({ request, response }: RecordedExchange): string =>
    JSON.stringify([request.method, blank(request.url), blank(request.body ?? ""), response?.status, blank(response?.body ?? "")]);
  return JSON.stringify(
    [...refusals].map(([side, { exchanges }]) => [side, exchanges.map((one) => (isRefusedWrite(one) ? known(one) : null))]),
  );
}
