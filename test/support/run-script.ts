import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RanScript {
  readonly status: number | null;
  readonly out: string;
}

/** Runs a shell script in a folder, with only these variables and PATH. */
export async function runScript(folder: string, script: string, env: Readonly<Record<string, string>>): Promise<RanScript> {
  writeFileSync(join(folder, "script.sh"), script);
  const child = spawn("sh", ["script.sh"], { cwd: folder, env: { PATH: process.env["PATH"], ...env } });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (out += String(chunk)));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, out };
}
