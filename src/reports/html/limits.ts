/** The limits of findings and journeys in plain HTML; they are lowered if the file would become too large. */
export interface Limits {
  /** Characters of a body. */
  readonly body: number;
  /** Characters of a message or of a stack. */
  readonly message: number;
  /** Characters of a message's headers. */
  readonly head: number;
  /** Requests of a step, and lines of its changes to the state. */
  readonly lines: number;
  /** Characters of such a line. */
  readonly line: number;
  /** Findings of an exploration whose steps are shown. */
  readonly findings: number;
  /** Errors, and divergences, of an exploration that are shown. */
  readonly problems: number;
  /** `true` if the requests of journeys that passed are shown. */
  readonly passed: boolean;
  /** Bytes of a list of findings, of the steps of a journey, of the names in the head of the page. */
  readonly list: number;
}

const ALL: Limits = {
  body: 20_000,
  message: 20_000,
  head: Infinity,
  lines: Infinity,
  line: 2_000,
  findings: Infinity,
  problems: Infinity,
  passed: true,
  list: Infinity,
};

/** From everything to the parts that are always shown. */
export const LIMITS: readonly Limits[] = [
  ALL,
  { ...ALL, body: 4_000 },
  { ...ALL, body: 800, message: 4_000, head: 4_000, lines: 500 },
  { body: 800, message: 800, head: 2_000, lines: 100, line: 800, findings: 100, problems: 200, passed: false, list: Infinity },
  { body: 100, message: 400, head: 800, lines: 20, line: 400, findings: 20, problems: 50, passed: false, list: Infinity },
  { body: 0, message: 400, head: 200, lines: 5, line: 200, findings: 5, problems: 20, passed: false, list: 1_000_000 },
];
