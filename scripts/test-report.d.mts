/** Where the test runner writes its own JSON report of the last run. */
export const REPORT: string;
