import { contentOf, FULL_ORDER, isInToken, NEXT_SECOND, ROOT_TIMES, type Knowledge } from "../../../state/index.ts";

/**
 * Returns the places to add to {@link Knowledge.ordered}, so that the search distinguishes more states. Each call returns the first of these groups
 * that is not yet in `ordered`:
 * - the entries in `leftOut`: counters that are left out of states ({@link counterEntry}), and tables whose rows had another order in the two states
 *   ({@link rowsEntry}). They come first, because only the user's `symmetric` says that the counters do not matter, and because few states differ in
 *   the order of rows;
 * - the places of generated ids;
 * - the places of times, because two times in whole seconds may be equal by chance;
 * - {@link FULL_ORDER}, which orders ids and times together;
 * - {@link contentOf} the places of ids, which distinguishes ids by the states in which they were generated. This leads to the most states.
 */
export function placesToOrder(knowledge: Knowledge, leftOut: readonly string[] = []): readonly string[] {
  const { times, ordered } = knowledge;
  const ofTimes = [...times.map(({ place }) => place), ROOT_TIMES];
  const orders = times.length === 0 ? [[...ofTimes, FULL_ORDER]] : [ofTimes, [FULL_ORDER]];
  const steps = [leftOut, domainsOf(knowledge), ...orders, contentsOf(knowledge)];
  return steps.map((places) => places.filter((place) => !ordered.includes(place))).find(({ length }) => length > 0) ?? [];
}

/**
 * Returns the knowledge without the places whose order of generation is part of states, except the places in `proven`. Used if merged states still
 * differ when all places are ordered: the order is then not the cause, and it would only make the search longer or endless.
 */
export function withoutOrder(knowledge: Knowledge, proven: readonly string[] = []): Knowledge {
  return { ...knowledge, ordered: knowledge.ordered.filter((place) => place === NEXT_SECOND || proven.includes(place)) };
}

/** Returns `true` if the state in which a value was generated is part of the value's name for some places; see {@link contentOf}. */
export function distinguishesContent(knowledge: Knowledge): boolean {
  return contentsOf(knowledge).some((one) => knowledge.ordered.includes(one));
}

function domainsOf({ generated }: Knowledge): readonly string[] {
  return generated.map(({ place, domain }) => domain ?? place);
}

/** Returns the entries {@link contentOf} for all generated values, and for the times in signed tokens. */
function contentsOf(knowledge: Knowledge): readonly string[] {
  const inTokens = knowledge.times.map(({ place }) => place).filter(isInToken);
  return [...domainsOf(knowledge), ...inTokens].map(contentOf);
}
