import { Committer, type CommitterOptions } from "../../../src/engine/commit/committer.ts";
import {
  CHECK_SHIFT,
  EXECUTED,
  FINDING,
  HI,
  KIND,
  LO,
  NEWS,
  ROW,
  STATUS,
  type Expansion,
  type LaneReport,
  type StepEvent,
} from "../../../src/messages/lane-messages.ts";

/** One outcome, as a test writes it: the state reached is a number that stands for its fingerprint. */
export interface Told {
  readonly to?: number;
  readonly status?: number;
  readonly kind?: number;
  readonly found?: boolean;
  /** Another hash of the state. */
  readonly check?: number;
}

/** The rows of outcomes, as a lane sends them. */
export function rowsOf(told: readonly Told[]): Int32Array {
  const rows = new Int32Array(told.length * ROW);
  told.forEach(({ to = 0, status = 200, kind = EXECUTED, found = false, check = 0 }, i) => {
    rows[i * ROW + KIND] = kind | (found ? FINDING | NEWS : 0) | (check << CHECK_SHIFT);
    rows[i * ROW + STATUS] = kind === EXECUTED ? status : 0;
    rows[i * ROW + LO] = to;
    rows[i * ROW + HI] = to === 0 ? 0 : 7;
  });
  return rows;
}

export function findingNews(action: number, invariant = "rule"): StepEvent {
  return { unit: 0, action, findings: [{ invariant, severity: "high", message: `${invariant} does not hold` }], errors: [], exchanges: [] };
}

export function rootReport(report: Partial<LaneReport> = {}): LaneReport {
  return {
    wholeLo: 0,
    wholeHi: 0,
    rootLo: 0,
    rootHi: 0,
    rootLines: [],
    findings: [],
    errors: [],
    portable: true,
    snapshot: undefined,
    made: undefined,
    shape: 0,
    systems: [],
    contextOnly: false,
    uses: [],
    ...report,
  };
}

/** A committer of breadth first without a bound, at the root state, that nobody listens to. */
export function committerAt(
  actions: readonly string[],
  options: Partial<CommitterOptions> = {},
  root: Partial<LaneReport> = {},
): Committer {
  const nothing = (): void => undefined;
  const all = { actions, maxDepth: Infinity, relaxes: false, shapes: false, open: nothing, moved: nothing, onViolation: nothing };
  const committer = new Committer({ ...all, ...options });
  committer.root(rootReport(root));
  return committer;
}

export function expansionOf(finished: number, told: readonly Told[], more: Partial<Expansion> = {}): Expansion {
  return {
    finished,
    rows: rowsOf(told),
    stepEvents: [],
    snapshots: [],
    divergences: [],
    replayed: 0,
    checked: 0,
    busyMs: 1,
    failure: undefined,
    ...more,
  };
}
