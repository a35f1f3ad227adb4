import type { Facts } from "../../state/canonical/facts.ts";
import type { Execution } from "./execution.ts";
import { footprint, overlaps, sameFootprint, type Footprint } from "./footprint.ts";
import { FreshIds } from "./fresh-ids.ts";
import type { AnswerRules } from "./answers.ts";
import { answersAgree } from "./responses-agree.ts";

/**
 * Returns `true` if one call seems to read or write data that the other call writes: both write the same place, or a call writes or answers
 * differently after the other call.
 * @param orders The calls one after another, in every order. Interchangeable calls have only one order.
 */
export function isSuspect(before: Facts, orders: readonly Execution[], answers: AnswerRules): boolean {
  const [forth] = orders;
  const [a, b] = [forth!.order![0]!, forth!.order![1]!];
  const back = orders.find(({ order }) => order![0] === b && order![1] === a) ?? forth;
  const firstOf = (execution: Execution): Footprint => footprint(before, execution.after[0]!);
  const secondOf = (execution: Execution): Footprint => footprint(execution.after[0]!, execution.after[1]!);
  const [aFirst, bFirst] = [firstOf(forth!), firstOf(back!)];
  if (overlaps(aFirst, bFirst)) return true;
  const [bSecond, aSecond] = [secondOf(forth!), secondOf(back!)];
  if (!sameFootprint(aFirst, aSecond) || !sameFootprint(bFirst, bSecond)) return true;
  const [freshForth, freshBack] = [forth!, back!].map(({ after }) => new FreshIds(before, after.at(-1)!));
  const unlike = (side: number, other: number): boolean =>
    !answersAgree(forth!.calls[side]!, back!.calls[other]!, freshForth!, freshBack!, answers);
  // Interchangeable calls have only one order, so compare the second answer with the first.
  return back === forth ? unlike(a, b) : unlike(a, a) || unlike(b, b);
}
