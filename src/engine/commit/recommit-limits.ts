import { BrokenRules, type ViolationPolicy } from "./broken-rules.ts";
import { Digest } from "../graph/digest.ts";
import { mismatch, recordedRows, type Recorded } from "./recommit.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import { KIND_BITS, FINDING, SKIPPED } from "../../messages/lane-messages.ts";
import { VisitedSet } from "../graph/visited-set.ts";

/** The result of reading the stored outcomes of an earlier session, which shows if the present settings would have ended the exploration earlier. */
export interface ReadThrough {
  /** The state in which the last committed action was executed. -1 if no action was committed. */
  readonly lastFrom: number;
  /** A violation that is not a known finding. The earlier session continued after this violation. `undefined` if there is no such violation. */
  readonly wentPast: PassedViolation | undefined;
}

/** The parts of a violation that determine the id of a finding. */
type PassedViolation = Pick<FoundViolation, "lastAction" | "status"> & { readonly finding: { readonly invariant: string } };

export interface ReadThroughOptions {
  readonly actions: readonly string[];
  readonly violationPolicy: ViolationPolicy | undefined;
  /** Names of the rules that are broken in the root state. */
  readonly brokenAtRoot: readonly string[];
  readonly isKnown: (found: PassedViolation) => boolean;
}

/**
 * Reads the stored outcomes of an earlier session without committing them, so that damaged data is refused before anything is started. The outcomes
 * must reach the states in the order of the states' numbers, and must give the stored digest.
 * @throws SeqqaError `RESUME_MISMATCH` (exit status 2), and errors of reading the run log
 */
export function readThrough(recorded: Recorded, { actions, violationPolicy, brokenAtRoot, isKnown }: ReadThroughOptions): ReadThrough {
  const states = recorded.lo.length;
  refuseTwins(recorded);
  const digest = new Digest();
  const broken = violationPolicy === undefined ? undefined : new BrokenRules(violationPolicy);
  broken?.root(brokenAtRoot);
  for (const rule of brokenAtRoot) digest.addText(rule);
  let [met, lastFrom]: [number, number] = [1, -1];
  // Findings of the root state occur before the findings of all steps.
  let unknown: ReadThrough["wentPast"] = brokenAtRoot
    .map((invariant) => ({ finding: { invariant }, lastAction: "", status: 0 }))
    .find((found) => !isKnown(found));
  let wentPast: ReadThrough["wentPast"];
  for (let index = 0; index < recorded.batches; index++) {
    for (const row of recordedRows(recorded, index)) {
      const { from, action, to, bits, status, stepEvents } = row;
      wentPast ??= unknown;
      if (from < 0 || from >= met || to < -1 || to > met || to >= states || action >= actions.length) {
        throw mismatch(
          `it contains a step that is impossible in this exploration (from state ${from}, by action ${action}, to state ${to})`,
        );
      }
      const isNew = to === met;
      if (isNew) met++;
      lastFrom = from;
      const kind = bits & KIND_BITS;
      if (kind === SKIPPED) digest.add(from, action, -2, 0);
      else digest.add(from, action, to, (Math.trunc(status / 100) << 8) | (kind << 1) | ((bits & FINDING) === 0 ? 0 : 1));
      const findings = stepEvents < 0 ? [] : recorded.stepEvents(stepEvents).findings;
      for (const { invariant } of findings) digest.addText(invariant);
      for (const finding of (kind === SKIPPED ? undefined : broken?.step(from, action, to, isNew, findings)) ?? findings) {
        const found = { finding, lastAction: actions[action]!, status: kind === SKIPPED ? 0 : status };
        if (unknown === undefined && !isKnown(found)) unknown = found;
      }
    }
  }
  // A root state with findings is not expanded, so there are no outcomes. The stored outcomes do not contain the findings of the root state.
  if (lastFrom < 0) return { lastFrom, wentPast };
  if (met !== states) throw mismatch(`the steps of the stored run lead to ${met} states, but the run log contains ${states} states`);
  if (digest.value() !== recorded.digest)
    throw mismatch(`the steps of the stored run give the digest ${digest.value()}, but the run log contains the digest ${recorded.digest}`);
  return { lastFrom, wentPast };
}

function refuseTwins({ lo, hi }: Recorded): void {
  const seen = new VisitedSet();
  for (let state = 0; state < lo.length; state++) {
    const twin = seen.find(lo[state]!, hi[state]!);
    if (twin >= 0) throw mismatch(`states ${twin} and ${state} of the stored run have the same fingerprint`);
    seen.add(lo[state]!, hi[state]!);
  }
}
