import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { onEveryExit, RunDirectory } from "../../targets/index.ts";

/**
 * Creates a directory for files that a run generates (bundles of code), calls `work`, and removes the directory. If the process is killed, the next
 * run removes it.
 * @throws SeqqaError `TMP_UNUSABLE` (2)
 */
export async function withRunDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = RunDirectory.create(tmpdir(), randomBytes(8).toString("hex"), "bundle");
  const forget = onEveryExit(() => directory.remove());
  try {
    return await work(directory.path);
  } finally {
    forget();
    directory.remove();
  }
}
