import { fieldOf, type Knowledge } from "../../../state/index.ts";

/** Maximum number of places (columns or JSON paths) that the text about one reduction names. */
const MOST_PLACES = 4;

/** Stands for the times that `setup` wrote, which belong to no field. */
export const SETUP_TIMES: string = "times of the root state";

/** Returns, as text, the fields that differ by themselves according to `knowledge` but not according to `before`. Empty if there are none. */
export function learnedSince(knowledge: Knowledge, before: Knowledge): string {
  const known = fieldsOf(before);
  return shownFields(fieldsOf(knowledge).filter((field) => !known.includes(field)));
}

/** Returns the fields whose values differ by themselves: they are generated, times, dropped, or written in the background. */
function fieldsOf({ generated, times, dropped, background }: Knowledge): readonly string[] {
  return [...[...generated, ...times].map(({ place }) => fieldOf(place)), ...dropped.map(({ field }) => field), ...background];
}

/** Returns the names of fields as text, each name once. Long lists are cut. */
export function shownFields(fields: readonly string[]): string {
  const all = [...new Set(fields)];
  return all.length > MOST_PLACES ? `${all.slice(0, MOST_PLACES).join(", ")} and others` : all.join(", ");
}
