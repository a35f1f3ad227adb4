import { BrokenRules, type ViolationPolicy } from "./broken-rules.ts";
import { Digest } from "../graph/digest.ts";
import { mismatch, recordedRows, type Recorded } from "./recommit.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import { FINDING, SKIPPED } from "../../messages/lane-messages.ts";
import { VisitedSet } from "../graph/visited-set.ts";

/** The result of reading a record. It shows if the exploration would have ended earlier under the present settings. */
export interface ReadThrough {
  /** The state at which the last committed row starts, or -1 if no row was committed. */
  readonly lastFrom: number;
  /** An unknown violation after which the exploration continued. */
  readonly wentPast: PassedViolation | undefined;
}

/** The parts of a violation that make up its id. */
type PassedViolation = Pick<FoundViolation, "lastAction" | "status"> & { readonly finding: { readonly invariant: string } };

export interface ReadThroughOptions {
  readonly actions: readonly string[];
  readonly violationPolicy: ViolationPolicy | undefined;
  /** The rules that the root state breaks. */
  readonly brokenAtRoot: readonly string[];
  readonly isKnown: (found: PassedViolation) => boolean;
}

/**
 * Reads a record without committing it, so that a damaged record is refused before anything is started. The rows must reach the states in the order
 * of their numbers, and give the recorded digest.
 * @throws SeqqaError `RESUME_MISMATCH` (exit status 2), and errors of reading
 */
export function readThrough(recorded: Recorded, { actions, violationPolicy, brokenAtRoot, isKnown }: ReadThroughOptions): ReadThrough {
  const states = recorded.lo.length;
  refuseTwins(recorded);
  const digest = new Digest();
  const broken = violationPolicy === undefined ? undefined : new BrokenRules(violationPolicy);
  broken?.root(brokenAtRoot);
  for (const rule of brokenAtRoot) digest.addText(rule);
  let [met, lastFrom]: [number, number] = [1, -1];
  // Findings of the root state come before the first step.
  let unknown: ReadThrough["wentPast"] = brokenAtRoot
    .map((invariant) => ({ finding: { invariant }, lastAction: "", status: 0 }))
    .find((found) => !isKnown(found));
  let wentPast: ReadThrough["wentPast"];
  for (let index = 0; index < recorded.batches; index++) {
    for (const row of recordedRows(recorded, index)) {
      const { from, action, to, bits, status, news } = row;
      wentPast ??= unknown;
      if (from < 0 || from >= met || to < -1 || to > met || to >= states || action >= actions.length) {
        throw mismatch(`a step leads from state ${from} by action ${action} to state ${to}, which is impossible`);
      }
      const isNew = to === met;
      if (isNew) met++;
      lastFrom = from;
      const kind = bits & 0xff;
      if (kind === SKIPPED) digest.add(from, action, -2, 0);
      else digest.add(from, action, to, (Math.trunc(status / 100) << 8) | (kind << 1) | ((bits & FINDING) === 0 ? 0 : 1));
      const findings = news < 0 ? [] : recorded.news(news).findings;
      for (const { invariant } of findings) digest.addText(invariant);
      for (const finding of (kind === SKIPPED ? undefined : broken?.step(from, action, to, isNew, findings)) ?? findings) {
        const found = { finding, lastAction: actions[action]!, status: kind === SKIPPED ? 0 : status };
        if (unknown === undefined && !isKnown(found)) unknown = found;
      }
    }
  }
  // A root state with findings is not expanded. No row holds its findings, so there is nothing more to check.
  if (lastFrom < 0) return { lastFrom, wentPast };
  if (met !== states) throw mismatch(`its steps lead to ${met} states, but ${states} are recorded`);
  if (digest.value() !== recorded.digest) throw mismatch(`its digest is ${digest.value()}, but ${recorded.digest} is recorded`);
  return { lastFrom, wentPast };
}

function refuseTwins({ lo, hi }: Recorded): void {
  const seen = new VisitedSet();
  for (let state = 0; state < lo.length; state++) {
    const twin = seen.find(lo[state]!, hi[state]!);
    if (twin >= 0) throw mismatch(`states ${twin} and ${state} have the same fingerprint`);
    seen.add(lo[state]!, hi[state]!);
  }
}
