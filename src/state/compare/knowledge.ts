/** A place where the target, or the user's code, puts values that it generates again in each execution. */
export interface GeneratedPlace {
  /** The segments that lead to the value, written by {@link placeText}. */
  readonly place: string;
  /** `""` for the whole value. Else a word inside a text: the one that follows this word (`^`: the first one). */
  readonly after: string;
  /**
   * The counter that an integer comes from. Equal integers are one value only if they come from one counter. `undefined` for a text, which is the same value
   * wherever it occurs.
   */
  readonly domain: string | undefined;
}

/** A place that holds times. */
export interface TimePlace {
  /** The segments that lead to the value, written by {@link placeText}. */
  readonly place: string;
  /** The same as {@link GeneratedPlace.after}. */
  readonly after: string;
  /** All of its values are multiples of this number of milliseconds. */
  readonly resolutionMs: number;
  /** `step`: an offset from the step that wrote it. `stored`: an offset from another time of the state. */
  readonly base: "step" | "stored";
  /** The offsets from their steps that were seen, in milliseconds, the smallest first; none in knowledge that an earlier version stored. */
  readonly offsets?: readonly number[] | undefined;
}

/** A field that is left out of states because its values differ between executions without a known cause. */
export interface DroppedField {
  /** A path in the syntax of `ignore`, e.g. `orders.latency_ms`. */
  readonly field: string;
  /** The values of two executions, for people. */
  readonly values: readonly [string, string];
}

/**
 * The knowledge of a target's values that experiments gave: plain data, the same for all lanes of a search. A search that learns more begins again
 * with its new knowledge, so that its result does not depend on when it learned.
 */
export interface Knowledge {
  readonly generated: readonly GeneratedPlace[];
  readonly times: readonly TimePlace[];
  readonly dropped: readonly DroppedField[];
  /** Columns that change without a request. */
  readonly background: readonly string[];
  /** Actions that send other requests each time: values that they make are named by the action alone. */
  readonly noisyActions: readonly string[];
  /** Places whose order of generation is part of the state, since an audit showed that it matters. */
  readonly ordered: readonly string[];
}

export const NOTHING_KNOWN: Knowledge = { generated: [], times: [], dropped: [], background: [], noisyActions: [], ordered: [] };

/** Joins the knowledge from two experiments. */
export function joined(a: Knowledge, b: Knowledge): Knowledge {
  return {
    generated: unique([...a.generated, ...b.generated], ({ place, after }) => `${place}\n${after}`),
    times: joinedTimes([...a.times, ...b.times]).toSorted((x, y) => (x.place + x.after < y.place + y.after ? -1 : 1)),
    dropped: unique([...a.dropped, ...b.dropped], ({ field }) => field),
    background: [...new Set([...a.background, ...b.background])],
    noisyActions: [...new Set([...a.noisyActions, ...b.noisyActions])],
    ordered: [...new Set([...a.ordered, ...b.ordered])],
  };
}

/** Makes one of all that is known of each place: the finer resolution, `stored` if that was ever so, and all offsets. */
export function joinedTimes(all: readonly TimePlace[]): readonly TimePlace[] {
  const kept = new Map<string, TimePlace>();
  for (const one of all) {
    const key = `${one.place}\n${one.after}`;
    const known = kept.get(key) ?? one;
    kept.set(key, {
      ...one,
      resolutionMs: Math.min(known.resolutionMs, one.resolutionMs),
      base: known.base === "stored" ? "stored" : one.base,
      offsets: [...new Set([...(known.offsets ?? []), ...(one.offsets ?? [])])].toSorted((x, y) => Math.abs(x) - Math.abs(y) || x - y),
    });
  }
  return [...kept.values()];
}

export function knowsNothing({ generated, times, dropped, background, noisyActions, ordered }: Knowledge): boolean {
  return [generated, times, dropped, background, noisyActions, ordered].every(({ length }) => length === 0);
}

function unique<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const kept = new Map<string, T>();
  for (const one of all) if (!kept.has(keyOf(one))) kept.set(keyOf(one), one);
  return [...kept.values()];
}

/** Parses the text of {@link knowledgeText}. @throws TypeError */
export function readKnowledge(text: string): Knowledge {
  const read = JSON.parse(text) as Partial<Knowledge> | null;
  const { generated, times, dropped, background, noisyActions, ordered } = read ?? {};
  for (const list of [generated, times, dropped, background, noisyActions, ordered])
    if (!Array.isArray(list)) throw new TypeError("the knowledge about a target's values is missing");
  for (const { place, after } of [...generated!, ...times!])
    if (!isPlace(place) || typeof after !== "string") throw new TypeError("a place in the state is missing");
  const isText = (one: unknown): boolean => typeof one === "string";
  if (![...background!, ...noisyActions!, ...ordered!, ...dropped!.map(({ field }) => field)].every(isText))
    throw new TypeError("a field of the state is missing");
  return read as Knowledge;
}

function isPlace(place: unknown): boolean {
  if (typeof place !== "string") return false;
  const segments: unknown = JSON.parse(place);
  return Array.isArray(segments) && segments.every((one) => typeof one === "string");
}

/** Writes knowledge as text that is equal for equal knowledge. */
export function knowledgeText(knowledge: Knowledge): string {
  return JSON.stringify(knowledge);
}
