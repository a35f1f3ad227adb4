import { setTimeout as sleep } from "node:timers/promises";
import { fieldChanges, type Knowledge } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { readProbe } from "./at-state.ts";

/** Interval in milliseconds between two reads of the stores, while they are watched and no request is sent. */
const IDLE_LOOK_MS = 50;

/** How much longer the second watch may take than the first, so that a job with a long interval writes in it, too. */
const LONGER = 3;

/** Returns the longest time in milliseconds for which {@link backgroundWrites} watches the stores. */
export function longestWatchMs(ms: number): number {
  return (1 + LONGER) * ms;
}

type Background = Pick<Knowledge, "background" | "nullable">;

/**
 * Waits for `quietMs` milliseconds, then watches the root state for `ms` milliseconds without sending a request. Returns the fields that change.
 * After calls (`quietMs` > 0), a field also has to change in a second watch, because the first may have met the late write of a call.
 */
export async function backgroundWrites(
  lane: LaneBase,
  goHome: () => Promise<unknown>,
  ms: number,
  quietMs: number = 0,
): Promise<Background> {
  if (quietMs > 0) await sleep(quietMs);
  const seen = await changesOf(lane, goHome, () => ms);
  if (quietMs === 0 || seen.fields.size === 0) return toBackground(seen);
  const again = await changesOf(lane, goHome, (found) => (common(seen.fields, found.fields).size === seen.fields.size ? 0 : LONGER * ms));
  const fields = common(seen.fields, again.fields);
  return toBackground({ fields, nullable: common(new Set([...seen.nullable, ...again.nullable]), fields) });
}

interface Changes {
  readonly fields: ReadonlySet<string>;
  readonly nullable: ReadonlySet<string>;
}

/** Returns the fields of the root state that change without a request, within a time in milliseconds that may depend on what has changed so far. */
async function changesOf(
  { state, options, canonicalizer }: LaneBase,
  goHome: () => Promise<unknown>,
  msFor: (found: Changes) => number,
): Promise<Changes> {
  const known = options.knowledge;
  const found = { fields: new Set<string>(), nullable: new Set<string>() };
  await goHome();
  const before = structuredClone(canonicalizer.withoutLeftOut(await state.observed()));
  for (const since = performance.now(); performance.now() - since < msFor(found);) {
    await sleep(IDLE_LOOK_MS);
    await readProbe(state);
    const changed = fieldChanges(before, canonicalizer.withoutLeftOut(await state.observed()));
    for (const field of changed.fields) if (!known.background.includes(field)) found.fields.add(field);
    for (const field of changed.nullable) if (known.nullable?.includes(field) !== true) found.nullable.add(field);
  }
  await goHome();
  return found;
}

function toBackground({ fields, nullable }: Changes): Background {
  return { background: [...fields], ...(nullable.size > 0 && { nullable: [...nullable] }) };
}

function common(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...some].filter((one) => others.has(one)));
}
