import type { Expander } from "./expander.ts";
import type { FindingLog, FoundViolation } from "./finding-log.ts";
import type { Recording } from "./messages.ts";

/** How often a lane may be lost on the way. */
const TRIES = 2;

/** A finding and what its path did when it was executed again from a clean start. */
export interface ConfirmedViolation {
  readonly found: FoundViolation;
  /** `undefined` when no lane could be had for it. */
  readonly recording: Recording | undefined;
  readonly confirmed: boolean;
}

/**
 * Replays every violation from a clean start: on a lane that was built anew for it, so that nothing which the target remembers
 * from elsewhere takes part. Lanes work side by side; the answer keeps the order of the findings.
 */
export async function confirmViolations(
  log: FindingLog,
  actions: readonly string[],
  expander: Expander,
  signal: AbortSignal | undefined,
): Promise<readonly ConfirmedViolation[]> {
  const waiting = [...log.violations.values()].map((found, index) => ({ found, index }));
  const confirmed: ConfirmedViolation[] = waiting.map(({ found }) => ({ found, recording: undefined, confirmed: false }));
  const work = async (lane: number): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && signal?.aborted !== true; next = waiting.shift()) {
      const { found, index } = next;
      const confirms = (recording: Recording): boolean => agrees(recording, found, actions);
      const recording = await replay(expander, lane, found, confirms, signal);
      if (recording !== undefined) confirmed[index] = { found, recording, confirmed: confirms(recording) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(expander.lanes, waiting.length) }, (_, lane) => work(lane)));
  return confirmed;
}

/** Once more when the lane was lost otherwise than the finding says: that a target was ended meanwhile says nothing about a path. */
async function replay(
  expander: Expander,
  lane: number,
  { path, draws }: FoundViolation,
  confirms: (recording: Recording) => boolean,
  signal: AbortSignal | undefined,
): Promise<Recording | undefined> {
  let recording: Recording | undefined;
  for (let tries = 1; tries <= TRIES && signal?.aborted !== true; tries++) {
    try {
      await expander.rebuild(lane);
      recording = await expander.record(lane, path, draws);
      if (recording.failure === undefined || confirms(recording)) return recording;
    } catch {
      // A lane that cannot be had: the next try, or what there is.
    }
  }
  return recording;
}

function agrees(recording: Recording, found: FoundViolation, actions: readonly string[]): boolean {
  if (recording.steps.length !== found.path.length) return false;
  const last = found.path.at(-1);
  if (last !== undefined && recording.steps.at(-1)!.action !== actions[last]) return false;
  const status = recording.steps.at(-1)?.status ?? 0;
  return status === found.status && recording.findings.some(({ invariant }) => invariant === found.finding.invariant);
}
