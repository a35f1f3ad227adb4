import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Global set-up of the project `e2e`, whose tests run the built package. */
export default function setUp(): void {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
}
