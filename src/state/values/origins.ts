/** A generated value of the present state, and its origin. */
export interface Origin {
  /** Name of its origin: a hash of its shape and ancestry. */
  readonly label: string;
  /** A hash of the request that made it, in which every generated value is replaced by its place. */
  readonly shape: string;
  /** The ordinal number of the step that made it: later steps have larger ones. */
  readonly step: number;
  /** The place where it was generated. The order of generation is left out, or kept, per place. */
  readonly domain: string;
  /**
   * The shapes of the requests that made the generated values which that request sent, and of their ancestors. It is a set, so that a token that is
   * renewed repeatedly has finitely many labels.
   */
  readonly ancestry: readonly string[];
}

/** A time of the present state. */
export interface TimeOrigin {
  /** The name that replaces it in a state: its offset from the step that wrote it. */
  readonly name: string;
  /**
   * The ordinal number of the step that wrote it or the time that it is derived from; 0 for a time of the root. Two times of one step have no order:
   * they may be equal or not by chance.
   */
  readonly step: number;
  /** How far the target's clock had been moved ahead when it was written, in milliseconds; default 0. */
  readonly aheadMs?: number | undefined;
  /** The place where it was written first. */
  readonly domain: string;
  /** `true` if it was in the future when it was last observed. */
  readonly isFuture: boolean;
  /** `true` if it was in the future of the step that wrote it, and passed before a later step ended. */
  readonly isPassed?: true | undefined;
}

/** The origins of a state's generated values and times. It is never changed, so that checkpoints share it. */
export interface Origins {
  /** By {@link Word.key}, for integers with their domain before it. */
  readonly ids: ReadonlyMap<string, Origin>;
  /**
   * By milliseconds since 1970. A time that another step wrote elsewhere, and that is equal by chance, has the key of {@link timeKeyAt}.
   */
  readonly times: ReadonlyMap<TimeKey, TimeOrigin>;
  /** Number of steps that made something so far. */
  readonly steps: number;
}

/** Milliseconds since 1970, alone or, from {@link timeKeyAt}, with a place. */
export type TimeKey = number | string;

/** Returns the key of a time that has its own origin at one place. */
export function timeKeyAt(ms: number, place: string): TimeKey {
  return `${ms} ${place}`;
}

/** Returns the milliseconds since 1970 of a key. */
export function msOf(key: TimeKey): number {
  return typeof key === "number" ? key : Number.parseFloat(key);
}

export const NO_ORIGINS: Origins = { ids: new Map(), times: new Map(), steps: 0 };

/** The origins as plain data, for snapshots. */
export interface OriginsSnapshot {
  readonly ids: readonly (readonly [string, Origin])[];
  readonly times: readonly (readonly [TimeKey, TimeOrigin])[];
  readonly steps: number;
}

export function snapshotOfOrigins({ ids, times, steps }: Origins): OriginsSnapshot | undefined {
  return ids.size === 0 && times.size === 0 ? undefined : { ids: [...ids], times: [...times], steps };
}

export function originsOfSnapshot(image: OriginsSnapshot | undefined): Origins {
  return image === undefined ? NO_ORIGINS : { ids: new Map(image.ids), times: new Map(image.times), steps: image.steps };
}

/** Returns when the first future time passes, in milliseconds since 1970; `Infinity` if there is none. */
export function firstToPass({ times }: Origins): number {
  let first = Infinity;
  for (const [key, { isFuture }] of times) if (isFuture) first = Math.min(first, msOf(key));
  return first;
}
