import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKED_VARIABLE } from "../packed.ts";

/** Global set-up of the project `e2e`, whose tests run the built package. What is packed from it is shared by all files. */
export default function setUp(): () => void {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "seqqa-packed-"));
  process.env[PACKED_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
