import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromiumPath } from "../browser.ts";

/** Global set-up of the project `browser`: finds or installs Chromium, and bundles the script and the style of the HTML report, which pages written by the sources embed. */
export default function setUp(): void {
  chromiumPath();
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync(process.execPath, ["scripts/build-report.mjs"], { cwd: root, stdio: "inherit" });
}
