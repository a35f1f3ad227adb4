import type { RecordedEvidence, StepEvent, RecordedCheck, Recording } from "../../messages/lane-messages.ts";
import type { RecordedStep } from "../../model/results/result.ts";
import { markedDifferences, sameNames, shownNames, type Marked } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import type { Draws } from "../bring-up/data-draws.ts";
import { EvidenceRecorder } from "../step/evidence.ts";
import { brokenFinding, withUnanswered, type Judged } from "../step/findings.ts";
import { exchangesOf, recorded, type Outcome } from "../step/outcome.ts";
import { judgeStep } from "../step/step-rules.ts";

/** `CHANGES`: maximum number of lines that describe a step's changes or the state after it. `LONGEST`: maximum number of characters in a line. */
const CHANGES = 200;
const LONGEST = 500;

/** Called and awaited before each step of a path, and once after the last step. */
export type BeforeStep = (step: number) => Promise<void>;

/** Executes a path, records its requests and changes, and checks the rules in the state at its end. The lane must be in the root state. */
export async function recordPath(
  base: LaneBase,
  path: readonly number[],
  draws: Draws,
  settle: () => Promise<void> | void,
  beforeStep?: BeforeStep,
): Promise<Recording> {
  const { state, stepper, canonicalizer, checker, actions, home, drawing } = base;
  const steps: RecordedStep[] = [];
  const checks: RecordedCheck[] = [];
  const findings: StepEvent["findings"][number][] = [];
  const errors: StepEvent["errors"][number][] = [];
  const evidence: RecordedEvidence[] = [];
  const broke = { steps, checks, evidence, findings, errors, reached: undefined, lines: [], drew: true };
  let mark = home.mark;
  drawing.root("");
  drawing.wasUsed = false;
  let facts = await state.facts();
  const began = { lo: 0, hi: 0 };
  let outcome: Outcome | undefined;
  /** The time at which each step began, on this process's clock. The lines that the target prints have times on the same clock. */
  const starts: number[] = [];
  let lines = canonicalizer.marked(facts);
  for (let i = 0; i < path.length; i++) {
    const action = actions[path[i]!]!;
    if (beforeStep !== undefined) await beforeStep(i);
    starts.push(Date.now());
    mark = await state.mark();
    drawing.at(path, i, path[i]!, draws);
    canonicalizer.fingerprint(facts, began);
    outcome = await stepper.run(action);
    const status = outcome.response === undefined ? null : outcome.status;
    const step = { action: action.name, status, requests: exchangesOf(stepper.exchanges, outcome) };
    errors.push(...outcome.errors);
    const last = i === path.length - 1;
    if (outcome.kind !== "executed") {
      steps.push(step);
      if (outcome.kind !== "lost") return { ...broke, brokeAt: i, failure: undefined };
      if (last) findings.push(brokenFinding(action.name, outcome));
      return { ...broke, brokeAt: i, failure: outcome.lost, starts };
    }
    await settle();
    facts = await state.facts();
    const before = lines;
    lines = sameNames(before, canonicalizer.marked(facts));
    steps.push({ ...step, changes: changesOf(before, lines), state: stateOf(lines) });
    if (last) findings.push(...outcome.findings);
  }
  if (beforeStep !== undefined) await beforeStep(path.length);
  const reached = { lo: 0, hi: 0 };
  canonicalizer.fingerprint(facts, reached);
  const changed = path.length === 0 || (await state.changed(mark)) || state.systems.length === 0;
  const last = path.length === 0 ? undefined : actions[path.at(-1)!]!;
  let judged: Judged = { findings: [], errors: [] };
  let inconclusive: Recording["inconclusive"];
  stepper.onCheckExchange = (exchange) => checks.push({ invariant: checker.checked.last, exchange: recorded(exchange) });
  const collected = new EvidenceRecorder(base);
  try {
    await checker.check(last, !changed);
    judged = { findings: [...checker.checked.findings], errors: [...checker.checked.errors] };
    if (outcome !== undefined && stepper.checkFailure === undefined) {
      const moved = began.lo !== reached.lo || began.hi !== reached.hi;
      const rules = await judgeStep(base, { action: last!, outcome, changed: moved, mark }, settle);
      judged = { findings: [...judged.findings, ...rules.findings], errors: [...judged.errors, ...rules.errors] };
      inconclusive = rules.unjudged;
    }
  } finally {
    stepper.onCheckExchange = undefined;
    evidence.push(...collected.end(new Set(judged.findings.map(({ invariant }) => invariant))));
  }
  const unanswered = stepper.checkFailure;
  if (unanswered !== undefined) judged = withUnanswered(judged, unanswered, last?.name);
  findings.push(...judged.findings);
  errors.push(...judged.errors);
  return {
    ...broke,
    reached,
    lines: canonicalizer.describe(facts),
    drew: drawing.wasUsed,
    brokeAt: undefined,
    failure: unanswered?.reason,
    starts,
    inconclusive,
  };
}

const changesOf = (before: Marked, after: Marked): readonly string[] => markedDifferences(before, after, CHANGES).map(brief);

function stateOf(lines: Marked): readonly string[] {
  const shown = shownNames(lines).slice(0, CHANGES).map(brief);
  return lines.length > CHANGES ? [...shown, `... and ${lines.length - CHANGES} more lines`] : shown;
}

const brief = (line: string): string => (line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}...`);
