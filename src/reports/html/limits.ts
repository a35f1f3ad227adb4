/** What is shown of findings and journeys in plain HTML; less of it where the file would become too large. */
export interface Limits {
  /** Characters of a body. */
  readonly body: number;
  /** Findings of an exploration whose steps are shown. */
  readonly findings: number;
  /** Whether the requests of journeys that passed are shown. */
  readonly passed: boolean;
}

/** From all to what is always there. */
export const LIMITS: readonly Limits[] = [
  { body: 20_000, findings: Infinity, passed: true },
  { body: 4_000, findings: Infinity, passed: true },
  { body: 800, findings: Infinity, passed: true },
  { body: 800, findings: 100, passed: false },
  { body: 100, findings: 20, passed: false },
  { body: 0, findings: 5, passed: false },
];
