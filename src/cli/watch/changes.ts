import { watch, type FSWatcher } from "chokidar";
import { existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { hashOfFile, isBuilt, isBuildFolder, isIgnored, isWithin, reportFolder, type Watched } from "./watched-files.ts";

/** The time in milliseconds without further changes after which a group of changes is reported. Editors and compilers write several files at once. */
const QUIET_MS = 150;
/**
 * The same time for files of a build (see {@link isBuilt}). It is longer because writing a build takes a while, and a target cannot run from an
 * incomplete build.
 */
const BUILT_MS = 2_000;
/** The maximum number of times that {@link Changes.quiet} waits for further changes. */
const WAITS = 20;

export class Changes {
  readonly #watcher: FSWatcher;
  /** Returns `true` for a file of a build, except for a single file that {@link Watched} lists. */
  readonly isBuilt: (file: string) => boolean;
  readonly #changed: Set<string> = new Set();
  /** For each file, a hash of its content when {@link take} last returned the file. */
  readonly #taken: Map<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  /** `true` if a file of a build is among the changes that wait for the timer. */
  #isBuilding = false;
  #tell: (() => void) | undefined;

  private constructor(watcher: FSWatcher, isBuiltFile: (file: string) => boolean) {
    this.#watcher = watcher;
    this.isBuilt = isBuiltFile;
    watcher.on("all", (event, path) => {
      if (event === "addDir" || event === "unlinkDir") return;
      this.#changed.add(path);
      this.#isBuilding ||= isBuiltFile(path);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(
        () => {
          this.#timer = undefined;
          this.#isBuilding = false;
          this.#tell?.();
        },
        this.#isBuilding ? BUILT_MS : QUIET_MS,
      );
    });
  }

  /**
   * Starts to watch folders and files for changes.
   * @param outputDir The folder of reports. The files that seqqa writes there are ignored.
   */
  static async in({ folders, files, withoutBuilds }: Watched, outputDir: string): Promise<Changes> {
    const reports = reportFolder(outputDir, folders);
    const single = new Set(files);
    // Watch the folder of a file, not the file itself: after a file is deleted and written again, its own watcher would not report changes.
    const roots = new Set([...folders, ...files.map((file) => dirname(file)).filter((folder) => existsSync(folder))]);
    const watcher = watch([...roots], {
      ignoreInitial: true,
      ignored: (path, stats) =>
        !roots.has(path) &&
        !single.has(path) &&
        (!folders.some((folder) => isWithin(path, folder)) ||
          isIgnored(path, reports, stats?.isFile()) ||
          (withoutBuilds && isBuildFolder(basename(path)))),
    });
    await new Promise<void>((resolve) => void watcher.once("ready", () => resolve()));
    return new Changes(watcher, (file) => !single.has(file) && isBuilt(file, folders));
  }

  /** Sets the function that is called after each group of changed files. It replaces the previous function. */
  listen(tell: (() => void) | undefined): void {
    this.#tell = tell;
  }

  /** Returns the files for which the watcher has reported changes since the last call. */
  take(): readonly string[] {
    const changed = [...this.#changed];
    for (const file of changed) this.#taken.set(file, hashOfFile(file));
    this.#changed.clear();
    return changed;
  }

  /**
   * Returns the changed files that {@link take} has not returned yet. A file is left out if its content is the same as when {@link take} last
   * returned the file.
   * @param withBuilt `true`: files of a build are included.
   */
  differing(withBuilt: boolean): readonly string[] {
    return [...this.#changed].filter((file) => (withBuilt || !this.isBuilt(file)) && this.#taken.get(file) !== hashOfFile(file));
  }

  /**
   * Does the same as {@link take}, but leaves out files that were last changed before `sinceMs`, except the files in `late`. `isLate` marks files
   * that were last changed before `sinceMs`.
   */
  takeSince(sinceMs: number, late: readonly string[]): readonly { readonly file: string; readonly isLate: boolean }[] {
    return this.take()
      .map((file) => ({ file, isLate: changedMs(file) <= sinceMs }))
      .filter(({ file, isLate }) => !isLate || late.includes(file));
  }

  /** Waits until no file has changed for a moment, so that the file watcher has reported even the last changes during a run. */
  async quiet(): Promise<void> {
    for (let waits = 0; waits < WAITS; waits++) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      if (this.#timer === undefined) return;
    }
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#watcher.close();
  }
}

/**
 * Returns the time of the last change of a file, in milliseconds since 1970. For a deleted file, returns the time of the last change of its folder.
 */
function changedMs(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false }) ?? statSync(dirname(file), { throwIfNoEntry: false });
  return stats?.ctimeMs ?? Infinity;
}
