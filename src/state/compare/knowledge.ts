/** A place where experiments found values that are generated again in each execution. */
export interface GeneratedPlace {
  /** The segments that lead to the value, in the form of {@link placeText}. */
  readonly place: string;
  /**
   * `""` if the whole value at the place is generated. If only a word inside a text is generated: the letters and digits directly before the word, or
   * `^` if there are none.
   */
  readonly after: string;
  /**
   * The counter that an integer comes from. Equal integers are the same value only if they come from the same counter. `undefined` for a text: equal
   * texts are the same value everywhere.
   */
  readonly domain: string | undefined;
  /** `true` for integers that do not grow from one execution to the next, so that their order has no meaning. Absent if they grow. */
  readonly isRandom?: true | undefined;
  /** The length of the shortest generated text that experiments found at the place. Absent for counters, and in knowledge of earlier versions. */
  readonly leastLength?: number | undefined;
  /** `true` if all generated texts that experiments found at the place are letters without digits, such as `brave-otter`. Absent otherwise. */
  readonly isLetters?: true | undefined;
}

/** Generated texts of at least this length at one place hardly vary in length. Shorter generated texts, such as random numbers, vary more. */
const SURE_LENGTH = 12;

/**
 * Returns `true` for a text that is not generated although its place contains generated texts: the text is at most half as long as these. An example
 * is the value `live` or `3` in a table of settings in which another setting is a UUID.
 */
export function isPlain(text: string, { leastLength = 0 }: GeneratedPlace): boolean {
  return text.length * 2 <= leastLength && (leastLength >= SURE_LENGTH || /^[A-Za-z_ -]{1,15}$/.test(text));
}

export interface TimePlace {
  readonly place: string;
  readonly after: string;
  /** The resolution in milliseconds: all values of the place are multiples of this number. */
  readonly resolutionMs: number;
  /**
   * The coarser resolutions of values that some steps write, in ascending order: one call may write whole seconds, and another call milliseconds.
   * Absent if there are none.
   */
  readonly coarserMs?: readonly number[] | undefined;
  /** The time from which offsets are measured. `step`: the time of the step that wrote the value. `stored`: another time in the state. */
  readonly base: "step" | "stored";
  /**
   * The offsets that were observed between the times and their steps, in milliseconds, in ascending order. Absent in knowledge that an earlier
   * version of seqqa stored.
   */
  readonly offsets?: readonly number[] | undefined;
  /**
   * Times at the place that no step generated, such as 9999-12-31: they were equal in executions in different seconds. In milliseconds since 1970, in
   * ascending order. Absent if there are none.
   */
  readonly constants?: readonly number[] | undefined;
}

/** A field that is left out of states, because its values differ between executions without a known cause, or between processes of the target. */
export interface DroppedField {
  /** The field in the syntax of `ignore`, e.g. `orders.latency_ms`. */
  readonly field: string;
  readonly values: readonly [string, string];
  /** `true` if the number of rows differs. Such rows are not left out of states. */
  readonly isRows?: true | undefined;
  /** `true` if the values only differ between processes of the target, such as the id of the process. */
  readonly isOfProcess?: true | undefined;
}

/**
 * The knowledge about a target's values that experiments gave, as plain data. All lanes of a search use the same knowledge. A search that learns more
 * starts over with the new knowledge, so its result does not depend on the moment of learning.
 */
export interface Knowledge {
  readonly generated: readonly GeneratedPlace[];
  readonly times: readonly TimePlace[];
  readonly dropped: readonly DroppedField[];
  /** Columns that change without a request. */
  readonly background: readonly string[];
  /**
   * Fields of `background` that such a change set to NULL or from NULL to a value. NULL and all values of such a field are the same state. Absent if
   * there are none.
   */
  readonly nullable?: readonly string[] | undefined;
  /**
   * Actions that send different requests in each execution. Generated values of such an action are named after the action alone, not after its
   * requests.
   */
  readonly noisyActions: readonly string[];
  /**
   * Places whose order of generation is part of the state, because an audit showed that the order matters. An entry of {@link contentOf} makes the
   * state in which a value was generated part of the state, too. See also {@link counterEntry}, {@link rowsEntry},
   * {@link entriesEntry}, {@link FULL_ORDER} and {@link NEXT_SECOND}.
   */
  readonly ordered: readonly string[];
  /**
   * Counters that restores do not set back, each as `<store>.<counter>`. The ids of such a counter differ in each execution, so that experiments find
   * them like other generated values. Absent if there are none.
   */
  readonly unrestored?: readonly string[] | undefined;
  /**
   * Counters that restores set back although these counters make searches endless, because results depend on their numbers. Absent if there are none.
   */
  readonly needed?: readonly string[] | undefined;
}

/** Returns the entry of {@link Knowledge.ordered} which says that values of a domain contain data of the state in which they were generated. */
export function contentOf(domain: string): string {
  return `<${domain}`;
}

const COUNTER = "#";

/** Returns the entry of {@link Knowledge.ordered} which says that the value of a counter is part of the state, although its ids are renamed. */
export function counterEntry({ system, name }: { readonly system: string; readonly name: string }): string {
  return `${COUNTER}${system}.${name}`;
}

/** Returns the name of the counter of {@link counterEntry}, such as `db.orders`; `undefined` for other entries of {@link Knowledge.ordered}. */
export function counterIn(entry: string): string | undefined {
  return entry.startsWith(COUNTER) ? entry.slice(COUNTER.length) : undefined;
}

const ROWS = "rows ";

/** Returns the entry of {@link Knowledge.ordered} which says that the order of the rows of a table is part of the state, although the table has a key. */
export function rowsEntry(system: string, table: string): string {
  return `${ROWS}${system}.${table}`;
}

/** Returns the table of {@link rowsEntry}, such as `db.orders`; `undefined` for other entries of {@link Knowledge.ordered}. */
export function tableOfRows(entry: string): string | undefined {
  return entry.startsWith(ROWS) ? entry.slice(ROWS.length) : undefined;
}

const ENTRIES = "entries ";

/** Returns the entry of {@link Knowledge.ordered} which says that the order of the entries of objects, Maps and Sets in a store is part of the state. */
export function entriesEntry(system: string): string {
  return `${ENTRIES}${system}`;
}

/** Returns the store of {@link entriesEntry}; `undefined` for other entries of {@link Knowledge.ordered}. */
export function storeOfEntries(entry: string): string | undefined {
  return entry.startsWith(ENTRIES) ? entry.slice(ENTRIES.length) : undefined;
}

/**
 * The entry of {@link Knowledge.ordered} which says that steps that generated ids and steps that wrote times are ordered together, and that ids and
 * times of one step are ordered, too.
 */
export const FULL_ORDER: string = "*";

/**
 * The entry of {@link Knowledge.ordered} which says that a step waits for the next second if the state contains a time of the present second. This is
 * needed if the target compares times in whole seconds, because two calls then have another result if they run within one second.
 */
export const NEXT_SECOND: string = "1s";

export const NOTHING_KNOWN: Knowledge = { generated: [], times: [], dropped: [], background: [], noisyActions: [], ordered: [] };

export function joined(a: Knowledge, b: Knowledge): Knowledge {
  const nullable = [...new Set([...(a.nullable ?? []), ...(b.nullable ?? [])])];
  const unrestored = [...new Set([...(a.unrestored ?? []), ...(b.unrestored ?? [])])];
  const needed = [...new Set([...(a.needed ?? []), ...(b.needed ?? [])])];
  return {
    generated: joinedGenerated([...a.generated, ...b.generated]),
    times: joinedTimes([...a.times, ...b.times]).toSorted((x, y) => (x.place + x.after < y.place + y.after ? -1 : 1)),
    dropped: unique([...a.dropped, ...b.dropped], ({ field }) => field),
    background: [...new Set([...a.background, ...b.background])],
    ...(nullable.length > 0 && { nullable }),
    noisyActions: [...new Set([...a.noisyActions, ...b.noisyActions])],
    ordered: [...new Set([...a.ordered, ...b.ordered])],
    ...(unrestored.length > 0 && { unrestored }),
    ...(needed.length > 0 && { needed }),
  };
}

/**
 * Joins several findings about the same place into one. A later `leastLength` replaces an earlier `leastLength` only if it is at most half as large.
 * A smaller difference does not affect {@link isPlain}, but would count as new knowledge for each id of another length.
 */
function joinedGenerated(all: readonly GeneratedPlace[]): readonly GeneratedPlace[] {
  const kept = new Map<string, GeneratedPlace>();
  for (const one of all) {
    const key = `${one.place}\n${one.after}`;
    const known = kept.get(key);
    const { leastLength = Infinity } = one;
    if (known === undefined) kept.set(key, one);
    else if (leastLength * 2 <= (known.leastLength ?? 0)) kept.set(key, { ...known, leastLength });
  }
  return [...kept.values()];
}

/** Joins several findings about the same place into one: all resolutions, the base `stored` if any finding has it, all offsets and constants. */
export function joinedTimes(all: readonly TimePlace[]): readonly TimePlace[] {
  const kept = new Map<string, TimePlace>();
  for (const one of all) {
    const key = `${one.place}\n${one.after}`;
    const known = kept.get(key) ?? one;
    const constants = [...new Set([...(known.constants ?? []), ...(one.constants ?? [])])].toSorted((x, y) => x - y);
    const resolutions = new Set([known, one].flatMap(({ resolutionMs, coarserMs = [] }) => [resolutionMs, ...coarserMs]));
    const [resolutionMs = 1, ...coarserMs] = [...resolutions].toSorted((x, y) => x - y);
    kept.set(key, {
      ...one,
      resolutionMs,
      ...(coarserMs.length > 0 && { coarserMs }),
      base: known.base === "stored" ? "stored" : one.base,
      offsets: [...new Set([...(known.offsets ?? []), ...(one.offsets ?? [])])].toSorted((x, y) => Math.abs(x) - Math.abs(y) || x - y),
      ...(constants.length > 0 && { constants }),
    });
  }
  return [...kept.values()];
}

/** Returns `true` if restores leave the same counters as they are with both kinds of knowledge. If not, stores must be opened again. */
export function leaveSameCounters(a: Pick<Knowledge, "unrestored">, b: Pick<Knowledge, "unrestored">): boolean {
  return JSON.stringify(a.unrestored ?? []) === JSON.stringify(b.unrestored ?? []);
}

export function knowsNothing({
  generated,
  times,
  dropped,
  background,
  nullable = [],
  noisyActions,
  ordered,
  unrestored = [],
}: Knowledge): boolean {
  return [generated, times, dropped, background, nullable, noisyActions, ordered, unrestored].every(({ length }) => length === 0);
}

function unique<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const kept = new Map<string, T>();
  for (const one of all) if (!kept.has(keyOf(one))) kept.set(keyOf(one), one);
  return [...kept.values()];
}

/**
 * Returns a text for comparing knowledge: if the texts are equal, states get equal names. The text leaves out observed values and does not depend on
 * the order of learning.
 */
export function comparableKnowledge({
  generated,
  times,
  dropped,
  background,
  nullable,
  noisyActions,
  ordered,
  unrestored,
}: Knowledge): string {
  const lists = [
    generated.map(({ place, after, domain, isRandom }) => [place, after, domain, isRandom]),
    times,
    dropped.map(({ field }) => field),
    background,
    ...(nullable === undefined ? [] : [nullable]),
    noisyActions,
    ordered,
    ...(unrestored === undefined ? [] : [unrestored]),
  ];
  return JSON.stringify(lists.map((list) => list.map((one) => JSON.stringify(one)).toSorted()));
}

/** Parses the text of {@link knowledgeText}. @throws TypeError if the text has another form */
export function readKnowledge(text: string): Knowledge {
  const read = JSON.parse(text) as Partial<Knowledge> | null;
  const { generated, times, dropped, background, nullable = [], noisyActions, ordered, unrestored = [] } = read ?? {};
  for (const list of [generated, times, dropped, background, nullable, noisyActions, ordered, unrestored])
    if (!Array.isArray(list)) throw new TypeError("the knowledge about a target's values is missing");
  for (const { place, after } of [...generated!, ...times!])
    if (!isPlace(place) || typeof after !== "string") throw new TypeError("a place in the state is missing");
  const isText = (one: unknown): boolean => typeof one === "string";
  if (![...background!, ...nullable, ...noisyActions!, ...ordered!, ...unrestored, ...dropped!.map(({ field }) => field)].every(isText))
    throw new TypeError("a field of the state is missing");
  return read as Knowledge;
}

function isPlace(place: unknown): boolean {
  if (typeof place !== "string") return false;
  const segments: unknown = JSON.parse(place);
  return Array.isArray(segments) && segments.every((one) => typeof one === "string");
}

/** Writes knowledge as text. Equal knowledge has equal text. */
export function knowledgeText(knowledge: Knowledge): string {
  return JSON.stringify(knowledge);
}
