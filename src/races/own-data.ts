import type { RaceRequest } from "../messages/race-messages.ts";

type Calls = Pick<RaceRequest, "path" | "draws" | "sides">;

/** Maximum number of calls with own test data. These calls are also executed one after another in each order: 3 calls have 6 orders. */
const MOST = 3;

/** Returns `true` if each call draws its own test data; see {@link withOwnData}. */
export function haveOwnData({ path, draws }: Omit<Calls, "sides">): boolean {
  return draws !== undefined && draws.length > path.length + 1;
}

/** Returns `true` if the calls are interchangeable: they have the same action and draw the same test data. */
export function areTwins(calls: Calls): boolean {
  return new Set(calls.sides).size === 1 && !haveOwnData(calls);
}

/**
 * Returns the request with own test data for each of its calls, which have the same action. Each call draws the data that it draws when it is
 * executed after the calls before it. Without own data, all these calls draw the data of the first call. A call that must be new, for example with an
 * idempotency key, would then be a repetition of the other call.
 */
export function withOwnData<T extends Calls>(request: T): T {
  const { path, draws } = request;
  const sides = request.sides.slice(0, MOST);
  const first = draws?.[path.length] ?? path;
  const ofSteps = path.map((_, step) => draws?.[step] ?? path.slice(0, step));
  return { ...request, sides, draws: [...ofSteps, ...sides.map((_, side) => [...first, ...sides.slice(0, side)])] };
}
