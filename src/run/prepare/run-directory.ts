import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { onEveryExit, RunDirectory } from "../../targets/index.ts";

/** A directory for what a run generates (bundles), removed when the work is done; where the process is killed, by the next run. @throws SeqqaError `TMP_UNUSABLE` (2) */
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
