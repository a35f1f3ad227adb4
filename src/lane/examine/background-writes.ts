import { setTimeout as sleep } from "node:timers/promises";
import { fieldChanges, type Knowledge } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { readProbe } from "./at-state.ts";

/** Interval in milliseconds between two reads of the stores, while they are watched and no request is sent. */
const IDLE_LOOK_MS = 50;

/** Waits for `quietMs` milliseconds, then watches the root state for `ms` milliseconds without sending a request. Returns the fields that change. */
export async function backgroundWrites(
  { state, options, canonicalizer }: LaneBase,
  goHome: () => Promise<unknown>,
  ms: number,
  quietMs: number = 0,
): Promise<Pick<Knowledge, "background" | "nullable">> {
  const known = options.knowledge;
  if (quietMs > 0) await sleep(quietMs);
  await goHome();
  const before = structuredClone(canonicalizer.withoutLeftOut(await state.observed()));
  const fields = new Set<string>();
  const nullable = new Set<string>();
  for (const until = performance.now() + ms; performance.now() < until;) {
    await sleep(IDLE_LOOK_MS);
    await readProbe(state);
    const found = fieldChanges(before, canonicalizer.withoutLeftOut(await state.observed()));
    for (const field of found.fields) if (!known.background.includes(field)) fields.add(field);
    for (const field of found.nullable) if (known.nullable?.includes(field) !== true) nullable.add(field);
  }
  await goHome();
  return { background: [...fields], ...(nullable.size > 0 && { nullable: [...nullable] }) };
}
