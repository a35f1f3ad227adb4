import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromiumPath } from "../browser.ts";

/**
 * Global set-up of the project `browser`: installs Chromium if there is none, and bundles the script and the style of the HTML report, which the
 * sources insert into pages.
 */
export default function setUp(): void {
  try {
    chromiumPath();
  } catch {
    // Ignore the error: tests that need Chromium report it, and the other tests can run.
  }
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync(process.execPath, ["scripts/build-report.mjs"], { cwd: root, stdio: "inherit" });
}
