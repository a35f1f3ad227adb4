import type { CookieExpiry } from "../../model/http/client.ts";
import type { SavedContext } from "../../model/context/context.ts";
import type { Checkpoint } from "../../model/stores/store-adapter.ts";
import {
  durationText,
  fieldOf,
  firstToPass,
  originsOfSnapshot,
  type Origins,
  type OriginsSnapshot,
  type StepWindow,
} from "../../state/index.ts";

/** A checkpoint of a world: its stores, context and clients. A checkpoint can only be restored on the lane where it was made. */
export interface SavedWorld {
  readonly systems: readonly Checkpoint[];
  readonly context: SavedContext;
  contextVersion: number;
  readonly clients: readonly unknown[];
  readonly clientVersions: number[];
  readonly setBy: readonly Bearer[];
  /** The steps that generated the state's ids and times. */
  readonly origins: Origins;
  readonly unstored: Unstored;
  /** The number of milliseconds by which the target's clock is set ahead of the real time. */
  readonly aheadMs: number;
  /** All cookies with an expiry time, from all clients. */
  readonly expiries?: readonly CookieExpiry[] | undefined;
  /** The time at which the first cookie expires, in milliseconds since 1970. Absent if no cookie expires. */
  readonly cookiesPassMs?: number | undefined;
}

/**
 * The part of the state that is not in stores, context and clients. An object of this type is never changed, so several checkpoints can refer to the
 * same object.
 */
export interface Unstored {
  /** The last result of the World's `probe`. `undefined` if there is no probe. */
  readonly probed?: unknown;
  /** Names of the actions that wrote, in order. Only used if seqqa has no way to read the state of the target. */
  readonly trail: readonly string[];
}

/** A state counts as expired if one of its times passes within this many milliseconds, since this time could pass during the next step. */
export const SOON_MS = 5_000;

export const NOTHING_UNSTORED: Unstored = { trail: [] };

/** A snapshot of a world: its stores, context and clients. A snapshot can be written to another lane. */
export interface WorldSnapshot {
  readonly systems: readonly unknown[];
  /** `true` if the snapshot has the whole contents of the stores, not only the changes since the root state. Default: `false`. */
  readonly isWhole?: true | undefined;
  readonly context: SavedContext;
  readonly clients: readonly unknown[];
  /** `true` if the clients are as in the root state of the lane that took the snapshot. */
  readonly hasRootClients: boolean;
  readonly setBy: readonly Bearer[];
  readonly origins?: OriginsSnapshot | undefined;
  readonly unstored?: Unstored | undefined;
  /** The number of milliseconds by which the target's clock is set ahead of the real time. Default: 0. */
  readonly aheadMs?: number | undefined;
  /** The time at which the first cookie expires, in milliseconds since 1970. Absent if no cookie expires. */
  readonly cookiesPassMs?: number | undefined;
  /**
   * The times at which the `setup` that made this state began and ended. Times in the state are named by their distance from these times, so that
   * they are equal on all lanes.
   */
  readonly setupAt?: StepWindow | undefined;
  /** The hash of the root state's generated values on the lane that took the snapshot; see {@link WorldState.accepts}. */
  readonly rootValues?: string | undefined;
  /** The hash of the values in the root state's stores that have names, on the lane that took the snapshot; see {@link WorldState.isOfOtherRoot}. */
  readonly rootStores?: string | undefined;
  /** The hash of the root state's tokens on the lane that took the snapshot. */
  readonly rootTokens?: string | undefined;
  /** The host and port of the target of the lane that took the snapshot. Absent if the target has no URL. */
  readonly host?: string | undefined;
  /** A random id of the lane that took the snapshot. */
  readonly lane?: string | undefined;
}

/** The credentials of a client, and the name of the action that set them. The name is `undefined` for credentials of the root state. */
export interface Bearer {
  readonly text: string;
  readonly action: string | undefined;
}

/**
 * Returns the time at which a saved state turns into another state, because a time in the state passes or a cookie expires. In milliseconds since
 * 1970; `Infinity` if no time passes and no cookie expires.
 */
export function passesAt(saved: Pick<SavedWorld, "origins" | "aheadMs" | "cookiesPassMs"> | WorldSnapshot): number {
  const { origins, aheadMs = 0, cookiesPassMs = Infinity } = saved;
  if (origins === undefined) return cookiesPassMs - aheadMs;
  const first = firstToPass(origins.ids instanceof Map ? (origins as Origins) : originsOfSnapshot(origins as OriginsSnapshot));
  return Math.min(first, cookiesPassMs) - aheadMs;
}

/**
 * Returns the fields whose times were in the future when they were written and have passed since, and the cookies that have expired. The distance
 * between a time and its step is in brackets: `orders.lease_until (5 min)`.
 */
export function passedTimes(saved: Pick<SavedWorld, "origins"> & Partial<Pick<SavedWorld, "expiries" | "aheadMs">>): readonly string[] {
  const { origins, expiries = [], aheadMs = 0 } = saved;
  const passed = [...origins.times.values()].filter(({ isPassed }) => isPassed === true);
  const expired = expiries.filter(({ atMs }) => atMs <= Date.now() + aheadMs);
  return [
    ...new Set([
      ...passed.map(({ name, step, domain }) => (step === 0 ? "a time of the root state" : `${fieldOf(domain)}${offsetText(name)}`)),
      ...expired.map(({ name }) => `the expiry of the cookie ${name}`),
    ]),
  ];
}

/**
 * Returns the distance between a time and the step that wrote it, in brackets. Returns an empty text if the distance was not measured from this step.
 */
function offsetText(name: string): string {
  const offset = /^step(\d+)$/.exec(name)?.[1];
  return offset === undefined ? "" : ` (${durationText(Number(offset))})`;
}
