import { statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import type { Shell } from "../process/shell.ts";
import { usage } from "./run-options.ts";

/**
 * Returns the absolute path of a directory that the user named. `undefined` if the user named none.
 * @throws SeqqaError with exit status 2 if there is no such directory
 */
export function namedDirectory(named: string | undefined, { cwd }: Shell, hint: string): string | undefined {
  if (named === undefined) return undefined;
  // An empty name usually comes from a shell variable that is not set.
  if (named.trim() === "") throw usage("The name of the directory is empty.", hint);
  const path = resolve(cwd, named);
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // For example, a part of the path is a file.
    throw usage(`The directory ${named} cannot be opened (${String((error as NodeJS.ErrnoException).code)}).`, hint);
  }
  if (found === undefined) throw usage(`The directory ${named} does not exist.`, hint);
  if (!found.isDirectory()) throw usage(`${named} is a file, but a directory is expected.`, hint);
  return path;
}
