import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { SeqqaError } from "../../model/errors.ts";
import { BUSY_LIMIT_MS, busyError, cannotRecover, isBusy, notPutBack } from "./failures.ts";

/** Where a borrowed file is kept as it was when it was opened, while it is put back as a whole. */
function besidePath(file: string, token: string): string {
  return `${file}-seqqa-${token}`;
}

/** Writes the copy, and returns when it is on disk: only then may the file say that there is one. */
export function writeBeside(file: string, token: string, bytes: Uint8Array): void {
  const handle = openSync(besidePath(file, token), "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function removeBeside(file: string, token: string): void {
  rmSync(besidePath(file, token), { force: true });
}

/** Removes copies that no installation needs any more: a file without an installation has none. Expects the write lock. */
export function removeOrphans(file: string): number {
  const prefix = `${basename(file)}-seqqa-`;
  const orphans = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix) && /^[0-9a-f]{32}$/.test(name.slice(prefix.length)));
  for (const name of orphans) rmSync(join(dirname(file), name), { force: true });
  return orphans.length;
}

/** Opens the copy, for putting it back. @throws SeqqaError `STORE_NOT_PUT_BACK` when it is gone. */
export function openBeside(file: string, token: string): Database {
  const path = besidePath(file, token);
  if (token === "" || !existsSync(path)) throw cannotRecover(file, "the copy of it that lay beside it is gone");
  return new DatabaseConstructor(path, { readonly: true, fileMustExist: true });
}

/** Makes a file of the copy. @throws SeqqaError `STORE_NOT_PUT_BACK` when it is gone. */
export function copyBeside(file: string, token: string, target: string): void {
  openBeside(file, token).close();
  copyFileSync(besidePath(file, token), target);
}

/** Writes all pages of a database into a live file, waiting for who holds its lock. */
export async function putPages(source: Database, file: string, limitMs: number = BUSY_LIMIT_MS): Promise<void> {
  try {
    const deadline = performance.now() + limitMs;
    while (!(await backedUp(source, file))) {
      if (performance.now() >= deadline) throw busyError(file, limitMs)(undefined);
      await pause(5);
    }
  } catch (error) {
    throw error instanceof SeqqaError ? error : notPutBack(file, error);
  }
}

/** A backup into a locked file does nothing, and says so only by a page count of 0. */
async function backedUp(source: Database, file: string): Promise<boolean> {
  try {
    return (await source.backup(file)).totalPages > 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
