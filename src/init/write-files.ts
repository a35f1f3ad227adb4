import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { makeFolder, statOf } from "./make-folder.ts";
import type { TemplateFile } from "./template.ts";

/** The maximum number of existing files that an error message lists. */
const SHOWN = 5;

/**
 * Writes all files, or none: after an error, the files that were already written are removed.
 * @throws SeqqaError `INIT_NOT_A_FOLDER`, `INIT_WOULD_OVERWRITE`, `INIT_NOT_WRITTEN`, with exit status 2
 */
export function writeFiles(directory: string, shown: string, files: readonly TemplateFile[]): void {
  // Refuse a path that exists but is not a folder, such as a broken symbolic link.
  if (statOf(directory) !== undefined && statOf(directory, true)?.isDirectory() !== true) {
    throw refused("INIT_NOT_A_FOLDER", `${shown} is a file, but seqqa init needs a folder.`, "Choose another folder: seqqa init <dir>.");
  }
  const there = occupied(directory, files);
  if (there.length > 0) {
    const names = there.slice(0, SHOWN).map((path) => join(shown, path));
    const more = there.length > SHOWN ? [`${there.length - SHOWN} more`] : [];
    throw refused(
      "INIT_WOULD_OVERWRITE",
      `${listed([...names, ...more])} already ${there.length === 1 ? "exists" : "exist"}; nothing was written.`,
      "Choose another folder: seqqa init <dir>.",
    );
  }
  const made: (() => void)[] = [];
  try {
    for (const { path, text } of files) writeNew(join(directory, path), text, made);
  } catch (cause) {
    for (const undo of made.reverse()) undo();
    const { code, message } = cause as NodeJS.ErrnoException;
    throw refused(
      "INIT_NOT_WRITTEN",
      `seqqa init cannot write to ${shown}: ${code ?? message}.`,
      "Choose a folder in which you are allowed to write: seqqa init <dir>.",
      cause,
    );
  }
}

/** Returns the existing files that prevent writing: a file with the path of a new file, or a file in place of a needed folder. */
function occupied(directory: string, files: readonly TemplateFile[]): readonly string[] {
  const taken = files.flatMap(({ path }) => {
    const folder = dirname(path);
    if (folder !== "." && statOf(join(directory, folder))?.isDirectory() === false) return [folder];
    return statOf(join(directory, path)) === undefined ? [] : [path];
  });
  return [...new Set(taken)];
}

function writeNew(file: string, text: string, made: (() => void)[]): void {
  makeFolder(dirname(file), made);
  // `wx` fails if another program has created the file since the check.
  writeFileSync(file, text, { flag: "wx" });
  made.push(() => rmSync(file));
}

function refused(code: string, message: string, hint: string, cause?: unknown): SeqqaError {
  return new SeqqaError(code, message, { exitStatus: 2, hint, ...(cause === undefined ? {} : { cause }) });
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
