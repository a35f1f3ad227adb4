/** The limits for the sizes of findings and journeys in a report. Lower limits are used if the file would become too large. */
export interface Limits {
  /** The largest number of characters that are shown of a request or response body. */
  readonly body: number;
  /** The largest number of characters of an error message or a stack trace. */
  readonly message: number;
  /** The largest number of characters of the first line and the headers of a request or response. */
  readonly head: number;
  /** The largest number of requests of a step, of lines of a state, and of lines of a change. */
  readonly lines: number;
  /** The largest number of characters of a line that describes a state or a change. */
  readonly line: number;
  /** The largest number of findings per exploration that are shown with their steps. */
  readonly findings: number;
  /** The largest number of errors, and of divergences, that are shown per exploration. */
  readonly problems: number;
  /** `true` if the requests of journeys that passed are shown. */
  readonly passed: boolean;
  /** The largest number of bytes of one part of the page: a list of findings, the steps of a journey, or the names in the head of the page. */
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

/** The limits in the order in which they are tried: first the limits that show everything, last the smallest limits. */
export const LIMITS: readonly Limits[] = [
  ALL,
  { ...ALL, body: 4_000 },
  { ...ALL, body: 800, message: 4_000, head: 4_000, lines: 500 },
  { body: 800, message: 800, head: 2_000, lines: 100, line: 800, findings: 100, problems: 200, passed: false, list: Infinity },
  { body: 100, message: 400, head: 800, lines: 20, line: 400, findings: 20, problems: 50, passed: false, list: Infinity },
  { body: 0, message: 400, head: 200, lines: 5, line: 200, findings: 5, problems: 20, passed: false, list: 1_000_000 },
];
