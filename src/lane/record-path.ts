import type { News, Recording } from "../engine/messages.ts";
import type { RecordedStep } from "../model/result.ts";
import type { LaneBase } from "./bring-up.ts";
import type { Draws } from "./drawing.ts";
import { brokenFinding } from "./findings.ts";
import { exchangesOf } from "./outcome.ts";

/** Executes a path from the root, where the lane must stand, with everything that it sends, and checks the last state. */
export async function recordPath(
  base: LaneBase,
  path: readonly number[],
  draws: Draws,
  settle: () => Promise<void> | void,
): Promise<Recording> {
  const { state, stepper, canonicalizer, checker, actions, home, drawing } = base;
  const steps: RecordedStep[] = [];
  const findings: News["findings"][number][] = [];
  const errors: News["errors"][number][] = [];
  const broke = { steps, findings, errors, reached: undefined, lines: [] };
  let mark = home.mark;
  drawing.root("");
  for (let i = 0; i < path.length; i++) {
    const action = actions[path[i]!]!;
    mark = await state.mark();
    drawing.at(path, i, path[i]!, draws);
    const outcome = await stepper.run(action);
    const status = outcome.response === undefined ? null : outcome.status;
    steps.push({ action: action.name, status, requests: exchangesOf(stepper.exchanges, outcome) });
    errors.push(...outcome.errors);
    const last = i === path.length - 1;
    if (outcome.kind === "lost") {
      if (last) findings.push(brokenFinding(action.name, outcome));
      return { ...broke, brokeAt: i, failure: outcome.lost };
    }
    if (outcome.kind !== "executed") return { ...broke, brokeAt: i, failure: undefined };
    await settle();
    if (last) findings.push(...outcome.findings);
  }
  const facts = await state.facts();
  const reached = { lo: 0, hi: 0 };
  canonicalizer.fingerprint(facts, reached);
  const lines = canonicalizer.describe(facts);
  const changed = path.length === 0 || (await state.changed(mark)) || state.systems.length === 0;
  await checker.check(path.length === 0 ? undefined : actions[path.at(-1)!], !changed);
  findings.push(...checker.checked.findings);
  errors.push(...checker.checked.errors);
  return { steps, findings, errors, reached, lines, brokeAt: undefined, failure: undefined };
}
