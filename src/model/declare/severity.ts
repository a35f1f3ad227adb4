/**
 * The severity of a finding. CRITICAL: data corruption, a security breach, a money defect. HIGH: a major feature broken.
 * MEDIUM: partial loss of function. LOW: minor defects.
 */
export const Severity = {
  CRITICAL: "critical",
  HIGH: "high",
  MEDIUM: "medium",
  LOW: "low",
} as const;

export type Severity = (typeof Severity)[keyof typeof Severity];

/** All severities, from worst to mildest. */
export const SEVERITIES: readonly Severity[] = [Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW];

const RANK: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2, critical: 3 };

/** Returns the rank of a severity: 0 for the worst. */
export function severityRank(severity: Severity): number {
  return RANK.critical - RANK[severity];
}

/** Returns `true` if `severity` is as bad as `threshold` or worse. */
export function isAtLeast(severity: Severity, threshold: Severity): boolean {
  return RANK[severity] >= RANK[threshold];
}
