import { isDeepStrictEqual } from "node:util";
import {
  KIND_BITS,
  BOUNDED,
  EXECUTED,
  HI,
  KIND,
  LO,
  ROW,
  STATUS,
  drawsOf,
  type ExpansionCheck,
  type FindingEvent,
  type LaneDivergence,
  type SeenViolation,
  type UnitRequest,
} from "../../messages/lane-messages.ts";
import { sameFingerprint, type Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { coarsestOf, explainedDifferences, isInToken, type ShownState } from "../../state/index.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import type { Outcome } from "../step/outcome.ts";
import { answerChange, divergence, kindOf } from "../report/other-outcome.ts";
import { judgeStep } from "../step/step-rules.ts";
import type { Navigator } from "../navigate/navigator.ts";
import { passedTimes, passesAt, type SavedWorld } from "../state/saved-world.ts";

/**
 * `LINES`: maximum number of lines that describe a divergence, and of violations that an audit reports. `STATE_LINES`: maximum number of lines that
 * compare two states.
 */
const LINES = 20;
const STATE_LINES = 8;

const SECOND_MS = 1_000;

/** Maximum number of states behind a merge that an audit compares if the root state is made again for each step. */
const MOST_REMADE = 3;

/**
 * Maximum number of states behind a merge that an audit compares although it has compared a state that the search takes for the same. In a loop that
 * only renews generated values, such states have no end, and their paths become longer with each.
 */
const MOST_RENEWED = 8;

interface Reached extends Fingerprint {
  readonly changed: boolean;
  readonly isBounded: boolean;
  /** A hash of the state, including the data that a reduction leaves out. */
  readonly strict: number;
  /** `true` if two different states may have equal hashes `strict`, because the contents of a state do not show which values refer to which. */
  readonly hidesLinks: boolean;
}

/** The outcomes of a node's actions. */
interface Outcomes {
  /** One row for each action, in the format of {@link ExpansionCheck.expected}. */
  readonly rows: Int32Array;
  /** For each action: the names of the rules that are broken after the action. */
  readonly broken: readonly (readonly string[])[];
  /** For each action: the hash {@link Reached.strict} of the state after the action. */
  readonly strict: readonly number[];
}

/** Executes the actions of a node a second time, by replay or along another path to the node. Compares the outcomes with those of the search. */
export class CrossChecker {
  readonly #base: LaneBase;
  readonly #navigator: Navigator;
  readonly #settle: () => Promise<void> | void;
  readonly #isCancelled: () => boolean;

  constructor(base: LaneBase, navigator: Navigator, settle: () => Promise<void> | void, isCancelled: () => boolean) {
    this.#base = base;
    this.#navigator = navigator;
    this.#settle = settle;
    this.#isCancelled = isCancelled;
  }

  /**
   * Cross-checks a node. Returns the divergence. Returns `undefined` if all outcomes agree, or if the lane was cancelled. With
   * {@link ExpansionCheck.followed}, also compares some states after the node. @throws LaneLost
   */
  async check(unit: UnitRequest, check: ExpansionCheck): Promise<LaneDivergence | undefined> {
    const met = new Set<string>();
    const nodes = new Set([nodeOf(unit)]);
    // States that the search distinguishes come first, so that an action that only renews a generated value does not use up the limit.
    const [others, renewed]: [Pair[], Pair[]] = [[], []];
    let pair: Pair | undefined = { unit, check };
    const { states = 0, deepest = 0 } = check.followed ?? {};
    let leftRenewed = MOST_RENEWED;
    // If the root is made again for each step, comparing many states would take too long.
    for (let left = this.#base.home.remade ? Math.min(states, MOST_REMADE) : states; pair !== undefined && !this.#isCancelled(); left--) {
      const found = await this.#compare(pair, (next, texts) => {
        // Skip a pair of states that was compared already. For example, an action that only renews a time leads to the same pair again.
        if (met.has(texts) || next.unit.path.length >= deepest) return;
        met.add(texts);
        (nodes.has(nodeOf(next.unit)) ? renewed : others).push(next);
        nodes.add(nodeOf(next.unit));
      });
      if (found !== undefined) return found;
      pair = left > 0 ? (others.shift() ?? (leftRenewed-- > 0 ? renewed.shift() : undefined)) : undefined;
    }
    return check.apart === true && (await this.#ordersSeconds(unit, check)) ? this.#compareApart(unit, check) : undefined;
  }

  /**
   * Returns `true` if the two paths wrote the time of a token and another time, both in whole seconds, in different orders. Some targets compare such
   * times. All steps of a fast search share a second, so only steps in separate seconds show if the order matters. Returns `false` if a stored time,
   * such as the end of a lease, would pass during steps in separate seconds.
   */
  async #ordersSeconds(unit: UnitRequest, { along }: ExpansionCheck): Promise<boolean> {
    const { options, stepper, state, canonicalizer } = this.#base;
    const { times } = options.knowledge;
    const seconds = new Set(times.filter((time) => coarsestOf(time) >= SECOND_MS).map(({ place }) => place));
    if (stepper.turns.waitsForSeconds || this.#isCancelled() || ![...seconds].some(isInToken)) return false;
    let passesMs = Infinity;
    const orderOf = async ({ path, draws }: Way): Promise<ReadonlySet<string>> => {
      passesMs = Math.min(passesMs, passesAt(await this.#navigator.replay(path, draws)) - (path.length + 1) * 2 * SECOND_MS);
      const order = canonicalizer.orderOfTimes(await state.facts());
      return new Set(
        order.filter((pair) => pair.every((place) => seconds.has(place)) && pair.some(isInToken)).map((pair) => pair.join("\n")),
      );
    };
    const second = await orderOf(unit);
    const first = await orderOf({ ...unit, ...along });
    return [...first, ...second].some((pair) => !first.has(pair) || !second.has(pair)) && passesMs > Date.now();
  }

  /**
   * Compares the outcomes along both paths with one second between the steps. Compares them twice: a difference that is random does not count as a
   * difference that depends on seconds.
   */
  async #compareApart(unit: UnitRequest, check: ExpansionCheck): Promise<LaneDivergence | undefined> {
    const { stepper } = this.#base;
    const compare = async (): Promise<LaneDivergence | undefined> => {
      // Begin at the root state, so that no checkpoint of an earlier execution is used.
      await this.#navigator.replay([]);
      return this.#compare({ unit, check: { ...check, expected: undefined } }, () => {});
    };
    stepper.turns.waitsForSeconds = true;
    try {
      const found = await compare();
      const again = found === undefined ? undefined : await compare();
      if (found === undefined || this.#isCancelled()) return undefined;
      return isDeepStrictEqual(found.calls, again?.calls) ? { ...found, seconds: true } : found;
    } finally {
      stepper.turns.waitsForSeconds = false;
    }
  }

  async #compare({ unit, check }: Pair, follow: (next: Pair, states: string) => void): Promise<LaneDivergence | undefined> {
    const { expected: known, along, merge, reduced = false } = check;
    const { state, actions } = this.#base;
    this.#navigator.leave();
    const { path } = unit;
    // If a reduction merged two states, a rule may still distinguish these states. Execute both paths, so that the broken rules can be compared, too.
    const first = known === undefined || reduced ? await this.#outcomesAlong({ ...unit, ...along }) : undefined;
    const expected = known ?? first!.rows;
    const differing: string[] = [];
    const seen: SeenViolation[] = [];
    let calls: readonly number[] | undefined;
    let mark: SavedWorld | undefined;
    let isExplained = false;
    const order = Array.from({ length: unit.to - unit.from }, (_, i) => unit.from + i);
    // The search executed the actions in their order, so the effect of one action on the target's memory or on a file may have been hidden by another
    // action. The opposite order shows such an effect. For a merge, keep the order: the search's first action then runs first again, and shows what
    // the second path left in memory or in files.
    for (const action of merge ? order : order.toReversed()) {
      if (this.#isCancelled()) break;
      const { outcome, mark: at } = await this.#step(unit, action);
      mark = at;
      const row = expected.subarray(action * ROW, (action + 1) * ROW);
      const reached = await this.#reach(unit, outcome, at);
      const isSame = isAlike(row, outcome, reached);
      // Also check the rules after an outcome that differs: if the reached state breaks a rule, the search may never reach this state again.
      const findings = reduced || !isSame ? await this.#broken(unit, action, outcome, reached, at) : [];
      const broken = namesOf(findings);
      const before = first?.broken[action] ?? [];
      const isJudgedAlike = !isSame || broken.join() === before.join();
      const { name } = actions[action]!;
      if (!isJudgedAlike) differing.push(judgedOtherwise(name, before, broken));
      for (const finding of findings)
        if (!before.includes(finding.invariant)) seen.push({ ...after(unit, action), status: outcome.status, finding });
      if (!isSame && row[STATUS] !== outcome.status)
        differing.push(`${name}: ${answerChange(row[KIND]! & KIND_BITS, row[STATUS]!, outcome)}`);
      else if (!isSame && differing.length < LINES) {
        const explained = await this.#explain(unit, action, along ?? { lo: row[LO]!, hi: row[HI]! }, !isExplained);
        isExplained = true;
        differing.push(
          `${name}: the target answered ${outcome.status} both times, but reached different states; ${explained.text}`,
          ...explained.lines,
        );
        mark = explained.mark;
      }
      if (!isSame || !isJudgedAlike) calls ??= [...path, action];
      // The search does not continue after a state that breaks a rule, so the audit does not either.
      else if (
        first !== undefined &&
        reduced &&
        broken.length === 0 &&
        reached.changed &&
        (first.strict[action] !== reached.strict || reached.hidesLinks) &&
        !reached.isBounded
      )
        follow(
          {
            unit: { ...unit, ...after(unit, action), lo: reached.lo, hi: reached.hi },
            check: { ...check, expected: undefined, along: after(along ?? unit, action) },
          },
          `${first.strict[action]} ${reached.strict}`,
        );
    }
    if (mark !== undefined) await state.restore(mark);
    this.#navigator.leave();
    if (calls === undefined) return undefined;
    const found = divergence({ merge, path, differences: differing.slice(0, LINES) }, this.#base.report);
    const [passed] = passedTimes(state.own());
    const rowOrders = reduced && along !== undefined ? await this.#differingRowOrders(unit, along) : [];
    return {
      ...found,
      ...(passed !== undefined && {
        hint: `A time in the state passed during the run, which may be the cause: ${passed}. Configure the target so that this time is further in the future. ${found.hint}`,
      }),
      calls,
      reduced,
      ...(rowOrders.length > 0 && { rowOrders }),
      ...(check.unlinked === true && { unlinked: true }),
      ...(seen.length > 0 && { seen: seen.slice(0, LINES) }),
    };
  }

  /** Returns the entries `rowsEntry` of the tables whose rows have another order after one of two paths to a state than after the other. */
  async #differingRowOrders(one: Way, other: Way): Promise<readonly string[]> {
    const ordersAt = async ({ path, draws }: Way): Promise<ReadonlyMap<string, string>> => {
      await this.#navigator.replay(path, draws);
      return this.#base.canonicalizer.rowOrders(await this.#base.state.facts());
    };
    const before = await ordersAt(other);
    const differing = [...(await ordersAt(one))].filter(([entry, text]) => before.get(entry) !== text).map(([entry]) => entry);
    this.#navigator.leave();
    return differing;
  }

  /** Executes every action of a node along the unit's path. */
  async #outcomesAlong(unit: UnitRequest): Promise<Outcomes> {
    const rows = new Int32Array(this.#base.actions.length * ROW);
    const broken: (readonly string[])[] = [];
    const strict: number[] = [];
    for (let action = unit.from; action < unit.to; action++) {
      const { outcome, mark } = await this.#step(unit, action);
      const reached = await this.#reach(unit, outcome, mark);
      rows.set([kindOf(outcome) | (reached.isBounded ? BOUNDED : 0), outcome.status, reached.lo, reached.hi, 0, 0], action * ROW);
      strict[action] = reached.strict;
      broken[action] = namesOf(await this.#broken(unit, action, outcome, reached, mark));
    }
    return { rows, broken, strict };
  }

  async #reach(unit: UnitRequest, outcome: Outcome, mark: SavedWorld): Promise<Reached> {
    const { state, canonicalizer } = this.#base;
    const changed = await state.changed(mark);
    if (outcome.kind !== "executed" || !changed)
      return { lo: unit.lo, hi: unit.hi, changed, isBounded: false, strict: 0, hidesLinks: false };
    const reached = { lo: 0, hi: 0 };
    canonicalizer.fingerprint(await state.facts(true), reached);
    const { wasBounded, strict, hidesLinks } = canonicalizer;
    return { ...reached, changed, isBounded: wasBounded, strict, hidesLinks };
  }

  /** Returns the violations after a step. Afterwards the lane may be in a different state. */
  async #broken(unit: UnitRequest, action: number, outcome: Outcome, reached: Reached, mark: SavedWorld): Promise<readonly FindingEvent[]> {
    if (outcome.kind !== "executed") return [];
    const { checker, state, stepper, actions } = this.#base;
    const definition = actions[action]!;
    await checker.check(definition, !reached.changed && state.systems.length > 0);
    const found = [...outcome.findings, ...checker.checked.findings];
    const moved = reached.lo !== unit.lo || reached.hi !== unit.hi;
    if (stepper.checkFailure === undefined && checker.rulesAfter(definition).length > 0)
      found.push(...(await judgeStep(this.#base, { action: definition, outcome, changed: moved, mark }, this.#settle)).findings);
    const unanswered = stepper.checkFailure;
    if (unanswered !== undefined) throw new LaneLost(unanswered.reason, "a request of a rule got no answer", [], unanswered.check);
    return found;
  }

  async #step({ path, draws }: UnitRequest, action: number): Promise<{ readonly outcome: Outcome; readonly mark: SavedWorld }> {
    const { stepper, actions, drawing } = this.#base;
    const mark = await this.#navigator.replay(path, draws);
    drawing.at(path, path.length, action, draws);
    const outcome = await stepper.run(actions[action]!);
    this.#navigator.departed();
    this.#navigator.replayed++;
    if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
    await this.#settle();
    return { outcome, mark };
  }

  /**
   * Returns lines that show why two outcomes differ. Compares the state after the step with the state after the same step on the other path, if
   * `other` is a path. If `other` is the fingerprint of the state to which the search came, executes the step again to find a state to compare with:
   * first in the same way, and then, with `repeatsAll`, as the search did, after the other actions of the node.
   */
  async #explain(
    unit: UnitRequest,
    action: number,
    other: Fingerprint | Way,
    repeatsAll: boolean,
  ): Promise<{ readonly text: string; readonly lines: readonly string[]; readonly mark: SavedWorld }> {
    const { state, stepper, actions, canonicalizer, drawing } = this.#base;
    const shown = async (): Promise<ShownState> => canonicalizer.shown(await state.facts());
    const now = await shown();
    const explained = (
      text: string,
      before: ShownState,
      after: ShownState,
      mark: SavedWorld,
      none = "none: both states are equal this time",
    ) => {
      const lines = explainedDifferences(before, after, STATE_LINES);
      return { text, lines: (lines.length === 0 ? [none] : lines).map((line) => `  ${line}`), mark };
    };
    if ("path" in other) {
      const { mark } = await this.#step({ ...unit, ...other }, action);
      return explained("differences between the other path and this path:", await shown(), now, mark);
    }
    const { mark } = await this.#step(unit, action);
    const again = await shown();
    if (!sameFingerprint(again, now))
      return explained("each execution leads to another state; differences between two executions:", now, again, mark);
    const order = repeatsAll ? [...[...actions.keys()].filter((index) => index !== action), action] : [];
    for (const one of order) {
      if (this.#isCancelled()) break;
      await state.restore(mark);
      drawing.at(unit.path, unit.path.length, one, unit.draws);
      const outcome = await stepper.run(actions[one]!);
      this.#navigator.departed();
      if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
      await this.#settle();
    }
    const restored = await shown();
    if (sameFingerprint(restored, other)) return explained("differences between the first and the second execution:", restored, now, mark);
    await state.restore(mark);
    return explained("the second time, the step changed:", await shown(), now, mark, "nothing that belongs to the state");
  }
}

/** Two executions to compare: of one path, or of two paths to states that count as equal. The other path is in `check`. */
interface Pair {
  readonly unit: UnitRequest;
  readonly check: ExpansionCheck;
}

type Way = Pick<UnitRequest, "path" | "draws">;

const nodeOf = ({ lo, hi }: Fingerprint): string => `${lo} ${hi}`;

/** Returns a path with one more action, and the paths from which the test data of its steps is computed. */
function after(way: Way, action: number): Way {
  const draws = drawsOf(way);
  return { path: [...way.path, action], draws: [...draws, [...draws.at(-1)!, action]] };
}

/** Returns the sorted names of the rules that are broken. */
function namesOf(findings: readonly FindingEvent[]): readonly string[] {
  return findings.map(({ invariant }) => invariant).toSorted();
}

function judgedOtherwise(action: string, before: readonly string[], now: readonly string[]): string {
  const named = (rules: readonly string[]): string => (rules.length === 0 ? "no rule" : rules.join(", "));
  return `${action}: breaks ${named(before)} on one path, but ${named(now)} on the other path`;
}

function isAlike(row: Int32Array, outcome: Outcome, { lo, hi }: Reached): boolean {
  const bits = row[KIND]!;
  const kind = kindOf(outcome);
  if ((bits & KIND_BITS) !== kind) return false;
  if (kind !== EXECUTED) return true;
  if (row[STATUS] !== outcome.status) return false;
  // Do not compare fingerprints if there were too many symmetric ids to order. Such a state may have another fingerprint each time.
  return (bits & BOUNDED) !== 0 || (row[LO] === lo && row[HI] === hi);
}
