import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./e2e.ts";

/** Returns the complaints of the compiler about a folder with its own tsconfig.json, each with file and line. */
export function typeErrors(folder: string): readonly string[] {
  const config = join(folder, "tsconfig.json");
  if (!/"strict":\s*true/.test(readFileSync(config, "utf8"))) throw new Error(`${config} does not ask for a strict check.`);
  const tsc = join(root, "node_modules/typescript-7/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "--noEmit", "--pretty", "false", "-p", config], { cwd: folder, stdio: "pipe" });
    return [];
  } catch (error) {
    return String((error as { readonly stdout: unknown }).stdout)
      .trim()
      .split("\n");
  }
}
