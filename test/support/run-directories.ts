import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the temporary directories of runs that a process owns. */
export function directoriesOf(pid: number): readonly string[] {
  return ["/dev/shm", tmpdir()].flatMap((base) => {
    const shared = join(base, `seqqa-${process.getuid?.()}`);
    if (!existsSync(shared)) return [];
    return readdirSync(shared)
      .map((name) => join(shared, name))
      .filter((path) => ownerOf(path) === pid);
  });
}

function ownerOf(path: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(join(path, "owner.json"), "utf8")) as { readonly pid: number }).pid;
  } catch {
    return undefined;
  }
}
