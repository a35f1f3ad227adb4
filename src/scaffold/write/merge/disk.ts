import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, statOf } from "../../../init/index.ts";
import { SeqqaError } from "../../../model/errors.ts";

export interface Change {
  readonly path: string;
  readonly text: string;
}

export class Disk {
  readonly #directory: string;
  readonly #shown: string;

  /**
   * Opens the folder for the generated files.
   * @throws SeqqaError `SCAFFOLD_NOT_A_FOLDER` if a file has the path of the folder
   */
  constructor(directory: string, shown: string) {
    this.#directory = directory;
    this.#shown = shown;
    // The first condition is also true for a symbolic link whose target does not exist.
    if (statOf(directory) !== undefined && statOf(directory, true)?.isDirectory() !== true) {
      throw refused(
        "SCAFFOLD_NOT_A_FOLDER",
        `seqqa cannot write to ${shown}, because it is not a folder.`,
        "Choose another folder with --out.",
      );
    }
  }

  /**
   * Reads a file. Returns `undefined` if the file does not exist.
   * @throws SeqqaError if the file is a symbolic link or not a plain file, because a link may lead outside of the folder
   */
  read(path: string): string | undefined {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const part = parts.slice(0, length).join("/");
      const stat = statOf(join(this.#directory, part));
      if (stat === undefined) return undefined;
      const shown = join(this.#shown, part);
      if (stat.isSymbolicLink()) {
        throw refused(
          "SCAFFOLD_LINK",
          `${shown} is a symbolic link, and seqqa does not write through links.`,
          "Choose another folder with --out.",
        );
      }
      if (length === parts.length ? !stat.isFile() : !stat.isDirectory()) {
        const what = length === parts.length ? "file" : "folder";
        throw refused(
          "SCAFFOLD_IN_THE_WAY",
          `seqqa cannot write ${shown}, because it already exists but is not a ${what}.`,
          "Choose another folder with --out.",
        );
      }
    }
    try {
      return readFileSync(join(this.#directory, path), "utf8");
    } catch (cause) {
      throw this.#failed("read", path, cause);
    }
  }

  /**
   * Writes all changes or none.
   * @throws SeqqaError `SCAFFOLD_NOT_WRITTEN`, after the previous files have been restored
   */
  write(changes: readonly Change[]): void {
    const undo: (() => void)[] = [];
    let at = "";
    try {
      for (const { path, text } of changes) {
        at = path;
        this.#writeOne(path, text, undo);
      }
    } catch (cause) {
      for (const step of undo.reverse()) step();
      if (cause instanceof SeqqaError) throw cause;
      throw this.#failed("written", at, cause);
    }
  }

  #writeOne(path: string, text: string, undo: (() => void)[]): void {
    const before = this.read(path);
    if (before === text) return;
    const file = join(this.#directory, path);
    makeFolder(dirname(file), undo);
    const beside = `${file}.${process.pid}.tmp`;
    const mode = before === undefined ? {} : { mode: statOf(file)!.mode };
    const replace = (by: string): void => {
      try {
        // Write a new file and rename it, so that a symbolic link that was created in the meantime is replaced and not followed.
        writeFileSync(beside, by, { flag: "wx", ...mode });
        renameSync(beside, file);
      } catch (cause) {
        rmSync(beside, { force: true });
        throw cause;
      }
    };
    replace(text);
    undo.push(() => (before === undefined ? rmSync(file) : replace(before)));
  }

  #failed(what: string, path: string, cause: unknown): SeqqaError {
    const { code, message } = cause as NodeJS.ErrnoException;
    const said = `${join(this.#shown, path)} cannot be ${what}: ${code ?? message}.`;
    return refused("SCAFFOLD_NOT_WRITTEN", said, "Choose a writable folder with --out <folder>.", cause);
  }
}

function refused(code: string, message: string, hint: string, cause?: unknown): SeqqaError {
  return new SeqqaError(code, message, { exitStatus: 2, hint, ...(cause === undefined ? {} : { cause }) });
}
