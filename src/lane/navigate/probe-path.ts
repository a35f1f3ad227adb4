import type { FindingEvent, PathEnd } from "../../messages/lane-messages.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import type { Draws } from "../bring-up/data-draws.ts";
import { brokenFinding, withUnanswered } from "../step/findings.ts";
import { LaneLost, PathBroken } from "../bring-up/lane-lost.ts";
import { judgeStep } from "../step/step-rules.ts";
import type { Navigator } from "./navigator.ts";

/**
 * Executes a path and checks the rules in the state at its end. Requests are not recorded. If the lane has checkpoints, the steps at the beginning
 * that are equal to those of the previous path are not executed again.
 */
export async function probePath(
  base: LaneBase,
  replayer: Navigator,
  path: readonly number[],
  draws: Draws,
  settle: () => Promise<void> | void,
): Promise<PathEnd> {
  const { state, stepper, checker, canonicalizer, actions, drawing } = base;
  const last = path.at(-1);
  const nowhere = { steps: 0, status: null, findings: [], failure: undefined };
  const judged = (findings: readonly FindingEvent[], action: string | undefined): Pick<PathEnd, "findings" | "failure"> => {
    const unanswered = stepper.checkFailure;
    if (unanswered === undefined) return { findings: [...findings], failure: undefined };
    return { findings: withUnanswered({ findings: [...findings], errors: [] }, unanswered, action).findings, failure: unanswered.reason };
  };
  try {
    const mark = await replayer.replay(path.slice(0, -1), draws);
    if (last === undefined) {
      drawing.root("");
      await checker.check(undefined);
      return { ...nowhere, ...judged(checker.checked.findings, undefined) };
    }
    const action = actions[last]!;
    const ruled = checker.rulesAfter(action).length > 0;
    const [began, reached] = [
      { lo: 0, hi: 0 },
      { lo: 0, hi: 0 },
    ];
    if (ruled) await state.fingerprint(canonicalizer, began);
    drawing.at(path, path.length - 1, last, draws);
    const outcome = await stepper.run(action);
    const status = outcome.response === undefined ? null : outcome.status;
    if (outcome.kind === "lost") {
      return { steps: path.length, status, findings: [brokenFinding(action.name, outcome)], failure: outcome.lost };
    }
    if (outcome.kind !== "executed") return nowhere;
    await settle();
    const changed = (await state.changed(mark)) || state.systems.length === 0;
    await checker.check(action, !changed);
    const findings = [...outcome.findings, ...checker.checked.findings];
    if (ruled && stepper.checkFailure === undefined) {
      await state.fingerprint(canonicalizer, reached);
      const moved = began.lo !== reached.lo || began.hi !== reached.hi;
      const rules = await judgeStep(base, { action, outcome, changed: moved, mark }, settle);
      findings.push(...rules.findings);
    }
    return { steps: path.length, status, ...judged(findings, action.name) };
  } catch (error) {
    if (error instanceof PathBroken) return nowhere;
    if (error instanceof LaneLost) return { ...nowhere, failure: error.kind };
    throw error;
  } finally {
    replayer.leave();
  }
}
