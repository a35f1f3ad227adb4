import { hashText32 } from "../hash/hasher.ts";

export interface Origin {
  /** The name of the value in the canonical form: a hash of `shape` and `ancestry`. */
  readonly label: string;
  /**
   * A hash of the request whose answer first contained the value. In the hashed request, earlier generated values are replaced by the places where
   * these values were generated.
   */
  readonly shape: string;
  /** The number of the step that generated the value. Later steps have larger numbers. */
  readonly step: number;
  /** The counter of an integer, or the place of a text. The order in which values were generated is compared separately for each domain. */
  readonly domain: string;
  /**
   * The request hashes (`shape`) of the generated values in this value's request, and the `ancestry` of these values. Each hash occurs once, so that
   * a token that is renewed repeatedly has a finite number of labels.
   */
  readonly ancestry: readonly string[];
  /**
   * The name of the state in which the step was executed, as in {@link Origins.at}. Two values of equal requests may contain different data of these
   * states, such as the price in a signed offer.
   */
  readonly source: string;
  /** The position of an integer among the integers that its step got from the same counter. `undefined` if the step got only this integer. */
  readonly order?: number | undefined;
  /**
   * The position of an id that contains the time (such as a ULID) among the ids of its step and domain. `undefined` if the step made only this id, or
   * if the ids do not follow the time.
   */
  readonly within?: number | undefined;
}

export interface TimeOrigin {
  /** The name of the time in the canonical form: its offset from the step that wrote the time. */
  readonly name: string;
  /**
   * The number of the step that wrote this time. For a time that is derived from another time, the number of the step that wrote the other time. 0
   * for a time of the root state. Times with the same step number count as equally old, because their values may be equal by chance.
   */
  readonly step: number;
  /** The milliseconds by which the target's clock was ahead when the time was written. Default 0. */
  readonly aheadMs?: number | undefined;
  readonly domain: string;
  /** The position of a time of the root state among the times that have the same name. `undefined` if it is the only one. */
  readonly rank?: number | undefined;
  /** The position of the time among different times that its step wrote at the same place. `undefined` if the step wrote only this time. */
  readonly within?: number | undefined;
  /**
   * For a time in a signed token: the action that wrote the token, and {@link Origins.atStores} of the state in which the action was executed. The
   * signature is left out of the state, and may depend on the stores, for example if its key contains the number of password changes.
   */
  readonly source?: string | undefined;
  /** The milliseconds by which the time is ahead of UTC, if it is a local time without a time zone. Default 0. */
  readonly zoneMs?: number | undefined;
  /** `true` if the time was in the future when it was last observed. */
  readonly isFuture: boolean;
  /** `true` if the time was in the future when its step wrote it, and passed before a later step ended. */
  readonly isPassed?: true | undefined;
}

/** The origins of all generated values and times in a state. The object is immutable, so checkpoints can share it. */
export interface Origins {
  /** The origins of generated values by {@link Word.key}. The key of an integer is prefixed with its domain. */
  readonly ids: ReadonlyMap<string, Origin>;
  /**
   * The origins of times by milliseconds since 1970. If another step wrote an equal time at another place by chance, {@link timeKeyAt} returns the
   * key of the second time.
   */
  readonly times: ReadonlyMap<TimeKey, TimeOrigin>;
  readonly steps: number;
  /** The name of the state that contains these values: the same for equal states, and empty in the root state. */
  readonly at: string;
  /** The name of the state's stores, without the order in which values were generated. Absent in the root state. */
  readonly atStores?: string | undefined;
}

/** Milliseconds since 1970; with a place or a hash of a token if {@link timeKeyAt} made the key. */
export type TimeKey = number | string;

/** Returns the key of a time that has a separate origin at one place, or in one token. */
export function timeKeyAt(ms: number, place: string): TimeKey {
  return `${ms} ${place}`;
}

/** Returns the key of a time in a signed token. Tokens with different signatures have different keys. @param token The token without `Bearer`. */
export function timeKeyIn(ms: number, token: string): TimeKey {
  return timeKeyAt(ms, hashText32(token).toString(36));
}

export function msOf(key: TimeKey): number {
  return typeof key === "number" ? key : Number.parseFloat(key);
}

export const NO_ORIGINS: Origins = { ids: new Map(), times: new Map(), steps: 0, at: "" };

export interface OriginsSnapshot {
  readonly ids: readonly (readonly [string, Origin])[];
  readonly times: readonly (readonly [TimeKey, TimeOrigin])[];
  readonly steps: number;
  /** The name of the state; see {@link Origins.at}. Absent in snapshots that earlier versions of seqqa stored. */
  readonly at?: string | undefined;
  readonly atStores?: string | undefined;
}

export function snapshotOfOrigins({ ids, times, ...others }: Origins): OriginsSnapshot | undefined {
  const isRoot = ids.size === 0 && times.size === 0 && others.at === "" && others.atStores === undefined;
  return isRoot ? undefined : { ids: [...ids], times: [...times], ...others };
}

export function originsOfSnapshot(image: OriginsSnapshot | undefined): Origins {
  return image === undefined
    ? NO_ORIGINS
    : { ids: new Map(image.ids), times: new Map(image.times), steps: image.steps, at: image.at ?? "", atStores: image.atStores };
}

/** The domain of times of the root state that have the same name. */
export const ROOT_TIMES = "root";

/** Returns the earliest time in the state that is still in the future, in milliseconds since 1970; `Infinity` if there is none. */
export function firstToPass({ times }: Origins): number {
  let first = Infinity;
  for (const [key, { isFuture, zoneMs = 0 }] of times) if (isFuture) first = Math.min(first, msOf(key) - zoneMs);
  return first;
}

/** Returns `true` if a time in the state lies in the second that begins at `secondMs`, in milliseconds since 1970. */
export function hasTimeIn({ times }: Origins, secondMs: number): boolean {
  for (const [key, { zoneMs = 0 }] of times) {
    const ms = msOf(key) - zoneMs;
    if (ms >= secondMs && ms < secondMs + 1_000) return true;
  }
  return false;
}
