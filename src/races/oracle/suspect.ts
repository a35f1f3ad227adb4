import type { Facts } from "../../state/canonical/facts.ts";
import type { Execution } from "./execution.ts";
import { footprint, overlaps, sameFootprint, type Footprint } from "./footprint.ts";
import { FreshIds } from "./fresh-ids.ts";
import type { AnswerRules } from "./answers.ts";
import { answersAgree } from "./responses-agree.ts";

/**
 * Returns `true` if one call reads or writes data that the other call writes. Evidence is a place that both write, or an answer or write that differs
 * after the other call. @param orders The calls one after another, in every order. Calls of one action have one order.
 */
export function isSuspect(before: Facts, orders: readonly Execution[], answers: AnswerRules): boolean {
  const [forth, back = forth] = orders;
  const firstOf = (execution: Execution): Footprint => footprint(before, execution.after[0]!);
  const secondOf = (execution: Execution): Footprint => footprint(execution.after[0]!, execution.after[1]!);
  const [aFirst, bFirst] = [firstOf(forth!), firstOf(back!)];
  if (overlaps(aFirst, bFirst)) return true;
  const [bSecond, aSecond] = [secondOf(forth!), secondOf(back!)];
  if (!sameFootprint(aFirst, aSecond) || !sameFootprint(bFirst, bSecond)) return true;
  const fresh = orders.map(({ after }) => new FreshIds(before, after.at(-1)!));
  const [a, b] = [forth!.order![0]!, forth!.order![1]!];
  const unlike = (side: number, other: number): boolean =>
    !answersAgree(forth!.calls[side]!, back!.calls[other]!, fresh[0]!, fresh.at(-1)!, answers);
  // For two calls of one action, compare the second with the first.
  return back === forth ? unlike(a, b) : unlike(a, a) || unlike(b, b);
}
