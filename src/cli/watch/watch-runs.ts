import { isAbsolute } from "node:path";
import { plural, printable } from "../../reports/index.ts";
import { statusOfError, worst, type ExitStatus } from "../../run/session/exit-status.ts";
import { errorText } from "../process/error-text.ts";
import { hiddenWhile } from "../process/output.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";
import type { Machinery } from "../run/machinery.ts";
import { Changes } from "./changes.ts";
import { KeptResults } from "./kept-results.ts";
import { keysOf, sameKeys, type Code, type Explorations, type Keys } from "./keys.ts";
import { targetFiles } from "./target-files.ts";
import { isDevelopmentServer, watchedFiles, watchedFolders } from "./watched-files.ts";

/** The maximum number of consecutive runs that start because files changed during the previous run. */
const MOST_RESTARTS = 2;

export interface WatchInput {
  readonly shell: Shell;
  readonly machinery: Pick<Machinery, "codeHashes" | "importedFiles">;
  readonly verbose: boolean;
  /**
   * Loads the configuration and finds the exploration files.
   * @throws SeqqaError
   */
  readonly find: () => Promise<Explorations>;
  /** Runs exploration files. An interrupt of the given shell stops the run in an orderly way. Calls `began` with the id of the run. */
  readonly run: (target: Explorations, shell: Shell, began: (id: string) => void) => Promise<ExitStatus>;
}

/**
 * Runs `seqqa run --watch`: explores, and then explores again after each change of a watched file, until the user presses Ctrl-C. If the code of an
 * exploration changed, only this exploration runs again. If the configuration or a file of the target changed, all explorations run again. Returns
 * the exit status of the last run that was not interrupted.
 */
export async function watchRuns(input: WatchInput): Promise<ExitStatus> {
  const rounds = new Rounds(input);
  try {
    return await rounds.untilEnd();
  } finally {
    await rounds.close();
  }
}

class Rounds {
  readonly #input: WatchInput;
  readonly #ended: AbortController = new AbortController();
  readonly #listeners: Set<Parameters<Shell["onInterrupt"]>[0]> = new Set();
  readonly #stopListening: () => void;
  #changes: Changes | undefined;
  /** The watched folders and files as text. It changes when the configuration or the imports of an exploration name other folders or files. */
  #watched = "";
  /** The files from which the code of each exploration comes. If an exploration cannot be bundled, the list from its last bundle remains. */
  readonly #inputs: Map<string, readonly string[]> = new Map();
  #restarts = 0;
  /**
   * The files that changed during the last run that was not interrupted. The target may write these files, so their changes do not interrupt runs.
   */
  #restless: ReadonlySet<string> = new Set();
  /**
   * `true` if a change of built files started the runs. Only in this case, further changes of built files interrupt a run and start it again.
   * Otherwise they are ignored, because a target such as a development server may write its own build.
   */
  #isAfterBuild = false;
  #status: ExitStatus = 0;
  #lastNote: string | undefined;

  constructor(input: WatchInput) {
    this.#input = input;
    this.#stopListening = input.shell.onInterrupt(() => {
      this.#ended.abort();
      this.#interrupt();
    });
  }

  async untilEnd(): Promise<ExitStatus> {
    const { signal } = this.#ended;
    for (;;) {
      const { isInterrupted, isUnchanged } = await this.#round();
      const changes = this.#changes;
      // If the configuration could not be loaded at all, the folders to watch are unknown, so `--watch` ends.
      if (signal.aborted || changes === undefined) return this.#status;
      if (await this.#isAgain(changes, isInterrupted, isUnchanged)) continue;
      this.#say("\nWaiting for changes; Ctrl-C ends.");
      const late = (): readonly string[] => (this.#restarts < MOST_RESTARTS ? changes.differing(this.#isAfterBuild) : []);
      const changed = await next(changes, signal, late);
      if (changed === undefined) return this.#status;
      this.#isAfterBuild = changed.some(({ file }) => changes.isBuilt(file));
      // On a busy machine, the file watcher may report changes that were made during the run only after the run. If all changes are such late
      // changes, count a restart, as for changes that are reported during the run.
      this.#restarts = changed.every(({ isLate }) => isLate) ? this.#restarts + 1 : 0;
      this.#say(`${this.#named(changed.map(({ file }) => file))} changed.\n`);
    }
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#changes?.close();
  }

  /** Explores once. `isUnchanged` resolves to `true` if the changed files have no influence on the results. */
  async #round(): Promise<{ readonly isInterrupted: boolean; readonly isUnchanged: () => Promise<boolean> }> {
    const { shell, verbose, find, run } = this.#input;
    let isInterrupted = false;
    /** Says which files interrupted the run. */
    let why: string | undefined;
    let hasToldWhy = false;
    let isOver = false;
    let isUnchanged = (): Promise<boolean> => Promise.resolve(false);
    this.#changes?.take();
    try {
      const target = await find();
      const { keys, note } = await this.#keysOf(target);
      const changes = await this.#watch(target);
      this.#note(target.files.length > 1 ? note : undefined);
      isUnchanged = async () => sameKeys(keys, (await this.#keysOf(target)).keys);
      const heard = async (): Promise<void> => {
        if (this.#restarts >= MOST_RESTARTS || this.#newOf(changes.differing(this.#isAfterBuild)).length === 0 || (await isUnchanged()))
          return;
        if (isInterrupted || isOver || this.#ended.signal.aborted) return;
        isInterrupted = true;
        why = `${this.#named(this.#newOf(changes.differing(this.#isAfterBuild)))} changed. The run starts again.`;
        this.#interrupt(why);
        hasToldWhy = this.#listeners.size > 0;
      };
      const listen = (): void => void heard().catch(() => undefined);
      changes.listen(listen);
      listen();
      const onInterrupt: Shell["onInterrupt"] = (listener) => {
        this.#listeners.add(listener);
        if (why !== undefined) {
          listener(why);
          hasToldWhy = true;
        }
        return () => void this.#listeners.delete(listener);
      };
      // An interrupted run ends by printing its results so far. Hide these results, because they would push away the line that says why the run
      // starts again.
      const isHidden = (): boolean => hasToldWhy && !this.#ended.signal.aborted;
      const own = { ...shell, onInterrupt, stdout: hiddenWhile(isHidden, shell.stdout), stderr: hiddenWhile(isHidden, shell.stderr) };
      const status = await runChanged(target, keys, { run, isUnchanged, shell: own });
      if (!isInterrupted || this.#ended.signal.aborted) this.#status = status;
    } catch (error) {
      shell.stderr.write(`${errorText(error, verbose)}\n`);
      this.#status = statusOfError(error);
    }
    isOver = true;
    return { isInterrupted, isUnchanged };
  }

  /**
   * Returns `true` if the explorations must run again at once, because files changed during the run. After several such restarts, the changed files
   * are only reported: a target that writes files to its own folder would start the explorations endlessly.
   */
  async #isAgain(changes: Changes, isInterrupted: boolean, isUnchanged: () => Promise<boolean>): Promise<boolean> {
    await changes.quiet();
    const during = changes.differing(this.#isAfterBuild);
    const built = changes.differing(true).filter((file) => !during.includes(file));
    const isSame = !isInterrupted && (during.length === 0 || (await isUnchanged().catch(() => false)));
    if (isInterrupted || (!isSame && this.#restarts < MOST_RESTARTS && this.#newOf(during).length > 0)) {
      this.#restarts++;
      this.#say(isInterrupted ? "" : `${this.#named(during)} changed.\n`);
      return true;
    }
    changes.take();
    this.#restless = new Set(isSame ? [] : during);
    if (built.length > 0)
      this.#say(`${this.#named(built)} changed during the run. If you built the target during the run, build it again.`);
    if (!isSame)
      this.#say(
        `${this.#named(during)} changed during the run. The target may write files there, so seqqa does not explore again. ` +
          "If you changed a file yourself, save it again. Otherwise, let the target write outside the watched folders.",
      );
    return false;
  }

  #newOf(changed: readonly string[]): readonly string[] {
    return changed.filter((file) => !this.#restless.has(file));
  }

  async #keysOf(target: Explorations): Promise<Keys> {
    const { shell, machinery } = this.#input;
    const code = await this.#codeOf(target);
    return keysOf(target, shell.env, code, await targetFiles(target.config, (entry) => machinery.importedFiles(entry)));
  }

  /** Prints a note, unless the note was the last one that was printed. */
  #note(note: string | undefined): void {
    if (note !== undefined && note !== this.#lastNote) this.#say(printable(note));
    this.#lastNote = note;
  }

  async #codeOf({ files, config: { target, systems } }: Explorations): Promise<Code> {
    const adapters = Object.values(systems).flatMap(({ adapter }) => (adapter !== undefined && isAbsolute(adapter) ? [adapter] : []));
    const code = await this.#input.machinery.codeHashes([...files, ...(target?.module === undefined ? [] : [target.module]), ...adapters]);
    for (const [file, { inputs }] of code) this.#inputs.set(file, inputs);
    return code;
  }

  /** Watches the folders and files that the explorations depend on. If these are the same as before, uses the existing watcher. */
  async #watch({ directory, config }: Explorations): Promise<Changes> {
    const watched = {
      folders: watchedFolders(directory, config),
      files: watchedFiles(config, [...this.#inputs.values()].flat()),
      withoutBuilds: isDevelopmentServer(config.target?.command),
    };
    const { outputDir } = config.report;
    const text = JSON.stringify([watched, outputDir]);
    if (this.#changes !== undefined && text === this.#watched) return this.#changes;
    const before = this.#changes;
    this.#changes = await Changes.in(watched, outputDir);
    this.#watched = text;
    await before?.close();
    return this.#changes;
  }

  #interrupt(why?: string): void {
    this.#listeners.forEach((listener) => listener(why));
  }

  #say(text: string): void {
    this.#input.shell.stderr.write(`${text}\n`);
  }

  #named(changed: readonly string[]): string {
    const [first, ...others] = changed;
    const more = others.length === 0 ? "" : ` and ${plural(others.length, "other file")}`;
    return `${first === undefined ? "A file" : printable(shownPath(first, this.#input.shell.cwd))}${more}`;
  }
}

/** Runs the exploration files that have no stored result, and prints the stored results of all other files. */
async function runChanged(
  target: Explorations,
  keys: ReadonlyMap<string, string>,
  { shell, run, isUnchanged }: Pick<WatchInput, "shell" | "run"> & { readonly isUnchanged: () => Promise<boolean> },
): Promise<ExitStatus> {
  const { config } = target;
  const kept = new KeptResults(config);
  const shown = (file: string): string => shownPath(file, shell.cwd);
  const statuses: ExitStatus[] = [];
  const affected = target.files.filter((file) => {
    const key = keys.get(file);
    const known = key === undefined ? undefined : kept.of(shown(file), key);
    if (known === undefined) return true;
    const { entry, run: id, status } = known;
    statuses.push(status);
    const found = entry.violations.length + entry.races.length;
    shell.stdout.write(
      `${printable(entry.name)}: unchanged since run ${id}: ${printable(entry.verdict.text)}; ${plural(found, "finding")}\n`,
    );
    return false;
  });
  if (affected.length === 0) return worst(statuses);
  let id: string | undefined;
  const status = await run({ ...target, files: affected, isPart: affected.length < target.files.length }, shell, (began) => (id = began));
  // If files changed during the run, the results may belong to the old or to the new files. Store the results only if nothing changed.
  if (status !== 130 && id !== undefined && config.report.formats.length > 0 && (await isUnchanged())) {
    kept.keep(new Map(affected.flatMap((file) => (keys.has(file) ? [[shown(file), keys.get(file)!] as const] : []))), id);
  }
  return worst([status, ...statuses]);
}

/**
 * Waits for changed files. Returns `undefined` if the signal is aborted.
 * @param late Returns the files whose changes count even if they were made before the wait.
 */
async function next(
  changes: Changes,
  signal: AbortSignal,
  late: () => readonly string[],
): Promise<ReturnType<Changes["takeSince"]> | undefined> {
  if (signal.aborted) return undefined;
  // Allow for the clock of the file system, which may be some milliseconds behind.
  const sinceMs = Date.now() - 50;
  return new Promise((resolve) => {
    const ended = (): void => resolve(undefined);
    signal.addEventListener("abort", ended, { once: true });
    const tell = (): void => {
      const changed = changes.takeSince(sinceMs, late());
      if (changed.length === 0) return;
      signal.removeEventListener("abort", ended);
      resolve(changed);
    };
    changes.listen(tell);
    tell();
  });
}
