import { fileURLToPath } from "node:url";

/** The file to which the test runner writes the JSON report of its last run. */
export const REPORT = fileURLToPath(new URL("../node_modules/.cache/test-report.json", import.meta.url));
