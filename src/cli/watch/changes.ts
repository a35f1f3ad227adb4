import { watch, type FSWatcher } from "chokidar";
import { isIgnored } from "./watched-files.ts";

/** Milliseconds without a change before changes are told: an editor, or a compiler, writes several files. */
const QUIET_MS = 150;

/** Tells when files in some folders change. */
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

  /** Begins to watch. `outputDir`: the folder of reports, whose files do not count. */
  static async in(folders: readonly string[], outputDir: string): Promise<Changes> {
    const watcher = watch([...folders], {
      ignoreInitial: true,
      ignored: (path, stats) => isIgnored(path, outputDir, stats?.isFile()),
    });
    await new Promise<void>((resolve) => void watcher.once("ready", () => resolve()));
    return new Changes(watcher);
  }

  /** Calls back after each group of changes, until another listener takes its place. */
  listen(tell: (() => void) | undefined): void {
    this.#tell = tell;
  }

  /** Returns the files that changed since the last call. */
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
