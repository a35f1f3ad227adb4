import { fileURLToPath } from "node:url";

/** Where the test runner writes its own JSON report of the last run. */
export const REPORT = fileURLToPath(new URL("../node_modules/.cache/test-report.json", import.meta.url));
