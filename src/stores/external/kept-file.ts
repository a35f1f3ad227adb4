import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Leftover } from "../../model/stores/leftover.ts";

/**
 * Writes a file with the earlier values of rows that a run could not restore, and returns the path of the file. Only the user can read the file. The
 * file is in the current folder or, if the current folder is not writable, in the system's folder for temporary files. `file`: the path that an
 * earlier call returned, to replace this file. `missing`: the number of rows that should be in the file, but are no longer known.
 */
export function writeKept(
  { store, sinceMs, recordedMs, keep, missing = 0 }: Leftover & { readonly missing?: number },
  folder: string = process.cwd(),
  file?: string,
): string {
  const time = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());
  const document = {
    store,
    runBegan: time(sinceMs),
    runLastRecorded: time(recordedMs),
    ...(missing > 0 && { incomplete: `${missing} rows are missing` }),
    rows: keep,
  };
  const text = `${JSON.stringify(document, plain, 2)}\n`;
  if (file !== undefined) {
    // Replace the file in one step, because another process may read it.
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return file;
  }
  const name = `seqqa-kept-${new Date().toISOString().replaceAll(/[-:]|\..*/g, "")}-${randomBytes(3).toString("hex")}.json`;
  const write = (path: string): string => {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return path;
  };
  try {
    return write(join(folder, name));
  } catch {
    return write(join(tmpdir(), name));
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  return value;
}
