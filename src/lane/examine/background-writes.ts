import { setTimeout as sleep } from "node:timers/promises";
import { changedFields } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { readProbe } from "./at-state.ts";

/** Interval in milliseconds between two reads of the stores, while they are watched and no request is sent. */
const IDLE_LOOK_MS = 50;

/** Waits for `quietMs` milliseconds, and then watches the root state for `ms` milliseconds without sending a request. Returns the fields that change. */
export async function backgroundWrites(
  { state, options }: LaneBase,
  goHome: () => Promise<unknown>,
  ms: number,
  quietMs: number = 0,
): Promise<readonly string[]> {
  if (quietMs > 0) await sleep(quietMs);
  await goHome();
  const before = structuredClone(await state.observed());
  const fields = new Set<string>();
  for (const until = performance.now() + ms; performance.now() < until;) {
    await sleep(IDLE_LOOK_MS);
    await readProbe(state);
    const changed = changedFields(before, await state.observed()).filter((field) => !options.knowledge.background.includes(field));
    for (const field of changed) fields.add(field);
  }
  await goHome();
  return [...fields];
}
