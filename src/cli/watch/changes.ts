import { watch, type FSWatcher } from "chokidar";
import { isIgnored, reportFolder } from "./watched-files.ts";

/** The time in milliseconds without further changes after which a group of changes is reported. Editors and compilers write several files at once. */
const QUIET_MS = 150;

export class Changes {
  readonly #watcher: FSWatcher;
  readonly #changed: Set<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #tell: (() => void) | undefined;

  private constructor(watcher: FSWatcher) {
    this.#watcher = watcher;
    watcher.on("all", (_event, path) => {
      this.#changed.add(path);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#tell?.(), QUIET_MS);
    });
  }

  /**
   * Starts to watch folders for changed files.
   * @param outputDir The folder of reports. The files that seqqa writes there are ignored.
   */
  static async in(folders: readonly string[], outputDir: string): Promise<Changes> {
    const reports = reportFolder(outputDir, folders);
    const watcher = watch([...folders], {
      ignoreInitial: true,
      ignored: (path, stats) => isIgnored(path, reports, stats?.isFile()),
    });
    await new Promise<void>((resolve) => void watcher.once("ready", () => resolve()));
    return new Changes(watcher);
  }

  /** Sets the function that is called after each group of changed files. It replaces the previous function. */
  listen(tell: (() => void) | undefined): void {
    this.#tell = tell;
  }

  take(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#watcher.close();
  }
}
