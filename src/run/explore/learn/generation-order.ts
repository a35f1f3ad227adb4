import { contentOf, FULL_ORDER, isInToken, NEXT_SECOND, ROOT_TIMES, type Knowledge } from "../../../state/index.ts";

/**
 * Returns the places where states will be distinguished by the order in which values were generated. `counters`: the entries of counters that are left
 * out of states ({@link counterEntry}). They are tried first, because only the user's `symmetric` says that they do not matter. Places of generated
 * ids follow. Places of times follow only if the ids did not help, because two times in whole seconds may be equal by chance. Then ids and times are ordered together. If
 * nothing helped, ids are distinguished by the states in which they were generated, which leads to the most states.
 */
export function placesToOrder(knowledge: Knowledge, counters: readonly string[] = []): readonly string[] {
  const { times, ordered } = knowledge;
  const ofTimes = [...times.map(({ place }) => place), ROOT_TIMES];
  const orders = times.length === 0 ? [[...ofTimes, FULL_ORDER]] : [ofTimes, [FULL_ORDER]];
  const steps = [counters, domainsOf(knowledge), ...orders, contentsOf(knowledge)];
  return steps.map((places) => places.filter((place) => !ordered.includes(place))).find(({ length }) => length > 0) ?? [];
}

/**
 * Returns the knowledge without the places whose order of generation is part of states, except the places in `proven`. If merged states differ
 * although all places are ordered, the order is not the cause. Distinguishing states by this order would make the search longer, or endless.
 */
export function withoutOrder(knowledge: Knowledge, proven: readonly string[] = []): Knowledge {
  return { ...knowledge, ordered: knowledge.ordered.filter((place) => place === NEXT_SECOND || proven.includes(place)) };
}

/** Returns `true` if states are distinguished by the states in which their values were generated. */
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
