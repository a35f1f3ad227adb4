import { mkdtempSync, rmSync, statfsSync } from "node:fs";

/** Free space, in bytes, that a file system in memory needs for the temporary files of all tests. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Global set-up of all projects: temporary files of tests are in memory if there is enough space and the environment names no other folder. Tests
 * write many small databases, and on a disk each commit waits for the disk. The first set-up of a run creates the folder, its teardown removes it.
 */
export default function setUp(): (() => void) | undefined {
  if (process.env["TMPDIR"] !== undefined || !isRoomy("/dev/shm")) return undefined;
  const folder = mkdtempSync("/dev/shm/seqqa-tests-");
  process.env["TMPDIR"] = folder;
  return () => {
    delete process.env["TMPDIR"];
    rmSync(folder, { recursive: true, force: true });
  };
}

function isRoomy(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    // There is no such folder.
    return false;
  }
}
