import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromiumPath } from "../browser.ts";

/** Global set-up of the project `browser`: installs Chromium where there is none, and bundles the script and the style of the HTML report, which pages written by the sources embed. */
export default function setUp(): void {
  try {
    chromiumPath();
  } catch {
    // The tests that need it say so; the others are run.
  }
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync(process.execPath, ["scripts/build-report.mjs"], { cwd: root, stdio: "inherit" });
}
