/** The limits of findings and journeys in plain HTML. They are lowered if the file would become too large. */
export interface Limits {
  /** The largest number of characters of a body. */
  readonly body: number;
  /** The largest number of characters of a message or a stack. */
  readonly message: number;
  /** The largest number of characters of a request line or status line with its headers. */
  readonly head: number;
  /** The largest number of requests of a step, and of lines of a state or a change. */
  readonly lines: number;
  /** The largest number of characters of a line of a state or a change. */
  readonly line: number;
  /** The largest number of findings of an exploration whose steps are shown. */
  readonly findings: number;
  /** The largest number of errors, and of divergences, of an exploration. */
  readonly problems: number;
  /** `true` if the requests of journeys that passed are shown. */
  readonly passed: boolean;
  /** The largest number of bytes of a list of findings, of the steps of a journey, and of the names in the head of the page. */
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

/** The limits in the order in which they are tried, from everything to the parts that are always shown. */
export const LIMITS: readonly Limits[] = [
  ALL,
  { ...ALL, body: 4_000 },
  { ...ALL, body: 800, message: 4_000, head: 4_000, lines: 500 },
  { body: 800, message: 800, head: 2_000, lines: 100, line: 800, findings: 100, problems: 200, passed: false, list: Infinity },
  { body: 100, message: 400, head: 800, lines: 20, line: 400, findings: 20, problems: 50, passed: false, list: Infinity },
  { body: 0, message: 400, head: 200, lines: 5, line: 200, findings: 5, problems: 20, passed: false, list: 1_000_000 },
];
