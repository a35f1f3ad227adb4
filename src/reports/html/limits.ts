/** What is shown of findings and journeys in plain HTML; less of it where the file would become too large. */
export interface Limits {
  /** Characters of a body. */
  readonly body: number;
  /** Characters of a message or of a stack. */
  readonly message: number;
  /** Findings of an exploration whose steps are shown. */
  readonly findings: number;
  /** Errors, and divergences, of an exploration that are shown. */
  readonly problems: number;
  /** Whether the requests of journeys that passed are shown. */
  readonly passed: boolean;
}

/** From all to what is always there. */
export const LIMITS: readonly Limits[] = [
  { body: 20_000, message: 20_000, findings: Infinity, problems: Infinity, passed: true },
  { body: 4_000, message: 20_000, findings: Infinity, problems: Infinity, passed: true },
  { body: 800, message: 4_000, findings: Infinity, problems: Infinity, passed: true },
  { body: 800, message: 800, findings: 100, problems: 200, passed: false },
  { body: 100, message: 400, findings: 20, problems: 50, passed: false },
  { body: 0, message: 400, findings: 5, problems: 20, passed: false },
];
