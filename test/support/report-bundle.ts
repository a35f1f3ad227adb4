import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Once before all tests: the sources and the built package both write HTML reports with the bundle in dist, which plain `tsc` does not make. */
export default function setUp(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["scripts/build-report.mjs"], { cwd: root, stdio: "inherit" });
}
