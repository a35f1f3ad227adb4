import { configOfStores } from "./config-of-stores.ts";
import { printable } from "../reports/index.ts";
import type { ExitStatus } from "./exit-status.ts";
import type { Machinery } from "./machinery.ts";
import type { StoreOptions } from "./program.ts";
import type { Shell } from "./shell.ts";

/** `seqqa clean`: what dead runs left is removed, and said line by line. Runs that are alive are left alone. */
export async function cleanCommand(
  directory: string | undefined,
  options: StoreOptions,
  shell: Shell,
  machinery: Machinery,
): Promise<ExitStatus> {
  const config = configOfStores(directory, options, shell);
  const removed = await machinery.clean(config);
  for (const line of removed) shell.stdout.write(`removed ${printable(line)}\n`);
  if (removed.length === 0) shell.stdout.write("Nothing was left by dead runs.\n");
  return 0;
}
