import { SeqqaError } from "../model/errors.ts";
import { differingFields, rowKinds, type RowKinds } from "../state/index.ts";
import type { Fingerprint } from "../state/facts.ts";
import type { LaneBase } from "./bring-up.ts";
import { LaneLost } from "./lane-lost.ts";
import { LateWrites } from "./late-writes.ts";

/** Steps of the walk at most. Not bounded by time: what is left out of the state must not depend on how fast the machine is. */
const MOST_STEPS = 25;

interface Stop {
  readonly fingerprint: Fingerprint;
  readonly lines: readonly string[];
  readonly kinds: RowKinds;
}

/**
 * Executes one walk twice from the root and returns the fields in which the states differ: what the target draws anew each time
 * (a random code, a price with noise) and the canonical form does not recognise by itself. The walk takes every action in turn,
 * as long as it answers and applies, so that it gets into the states that matter first.
 *
 * @param goHome Brings the lane to the root from wherever it is.
 */
export async function calibrate(base: LaneBase, goHome: () => Promise<unknown>): Promise<readonly string[]> {
  const { state, world, home } = base;
  // What a reset forgot to put back would be taken for drawn anew, and hidden: there it has to show as a divergence.
  if (world.reset !== undefined || (state.systems.length === 0 && !home.remade)) return [];
  try {
    return await differingBetweenWalks(base, goHome);
  } catch (error) {
    if (!(error instanceof LaneLost)) throw error;
    // Before anything was explored there is nothing to go on with.
    const differing = error.differences.length === 0 ? "" : ` (${error.differences.slice(0, 5).join("; ")})`;
    throw new SeqqaError("NOT_PUT_BACK", `${error.message}${differing}.`, {
      hint: "Make the target start alike each time, and setup lead to one state.",
    });
  }
}

async function differingBetweenWalks(base: LaneBase, goHome: () => Promise<unknown>): Promise<readonly string[]> {
  const { options } = base;
  await goHome();
  const late = new LateWrites(options.settleMs);
  const path: number[] = [];
  const first = await walk(base, [...base.actions.keys()].slice(0, MOST_STEPS), path, late);
  await goHome();
  // The same goes for a store that is not put back.
  if (!(await isRoot(base))) return [];
  const second = await walk(base, path, [], late);
  await goHome();
  const fields = new Set<string>();
  for (let i = 0; i < Math.min(first.length, second.length); i++) {
    const a = first[i]!;
    const b = second[i]!;
    if (a.fingerprint.lo === b.fingerprint.lo && a.fingerprint.hi === b.fingerprint.hi) continue;
    for (const field of differingFields(a.lines, b.lines, a.kinds)) fields.add(field);
  }
  return [...fields].toSorted();
}

async function isRoot({ state, canonicalizer, home }: LaneBase): Promise<boolean> {
  const now = { lo: 0, hi: 0 };
  await state.fingerprint(canonicalizer, now);
  return now.lo === home.facts.node.lo && now.hi === home.facts.node.hi;
}

/**
 * Runs actions one after the other; those that were executed are added to `path`, and where they led is returned. What they still have
 * to write is waited for: it must not come when the walk has been put back, and be taken for the first branch's.
 */
async function walk(base: LaneBase, actions: readonly number[], path: number[], late: LateWrites): Promise<Stop[]> {
  const { state, stepper, canonicalizer, drawing } = base;
  const stops: Stop[] = [];
  let accepted = false;
  // The second walk has no list to add to, and draws what the first one drew.
  const gone: number[] = [];
  for (const action of actions) {
    drawing.at(gone, gone.length, action);
    const outcome = await stepper.run(base.actions[action]!);
    // What goes wrong here goes wrong again, with a report, when the step is explored.
    if (outcome.kind === "lost" || outcome.kind === "failed") break;
    if (outcome.kind === "skipped") continue;
    path.push(action);
    gone.push(action);
    accepted ||= outcome.status === 202;
    await late.settle();
    const facts = await state.facts();
    const fingerprint = { lo: 0, hi: 0 };
    canonicalizer.fingerprint(facts, fingerprint);
    stops.push({ fingerprint, lines: canonicalizer.describe(facts), kinds: rowKinds(facts) });
  }
  if (accepted) await late.drain(base.home.mark);
  return stops;
}
