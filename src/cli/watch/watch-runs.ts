import { scryptSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { sqlitePathOf } from "../../model/stores/sqlite-path.ts";
import { plural, printable } from "../../reports/index.ts";
import { packageVersion } from "../../reports/document/package-version.ts";
import { statusOfError, worst, type ExitStatus } from "../../run/session/exit-status.ts";
import { errorText } from "../process/error-text.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";
import type { Machinery } from "../run/machinery.ts";
import type { RunTarget } from "../run/run-target.ts";
import { Changes } from "./changes.ts";
import { KeptResults } from "./kept-results.ts";
import { hashOfFile, hashOfFolder, hashOfPackages, watchedFolders } from "./watched-files.ts";

/** The maximum number of times in a row that changed files interrupt and restart the explorations. */
const MOST_RESTARTS = 2;

type Explorations = RunTarget & { readonly kind: "explorations" };

export interface WatchInput {
  readonly shell: Shell;
  readonly machinery: Pick<Machinery, "codeHashes">;
  readonly verbose: boolean;
  /**
   * Loads the configuration and finds the exploration files.
   * @throws SeqqaError
   */
  readonly find: () => Promise<Explorations>;
  /** Runs some of the exploration files. An interrupt of the given shell stops the run in an orderly way. Calls `began` with the id of the run. */
  readonly run: (target: Explorations, shell: Shell, began: (id: string) => void) => Promise<ExitStatus>;
}

/**
 * Runs `seqqa run --watch`: explores, and explores again after each change, until Ctrl-C. If the code of an exploration changed, only this
 * exploration runs again. If the configuration or a file of the target changed, all explorations run again. Returns the exit status of the last run
 * that was not interrupted.
 */
export async function watchRuns(input: WatchInput): Promise<ExitStatus> {
  const { shell, verbose } = input;
  const ended = new AbortController();
  const listeners = new Set<() => void>();
  const interrupt = (): void => listeners.forEach((listener) => listener());
  const stopListening = shell.onInterrupt(() => {
    ended.abort();
    interrupt();
  });
  const onInterrupt: Shell["onInterrupt"] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  let changes: Changes | undefined;
  let status: ExitStatus = 0;
  let restarts = 0;
  try {
    for (;;) {
      try {
        const target = await input.find();
        const { directory, config } = target;
        changes ??= await Changes.in(watchedFolders(directory, config), config.report.outputDir);
        let isChanged = false;
        const before = await keysOf(target, input);
        changes.listen(() => {
          // Without this limit, a target that writes files to its own folder would restart the explorations endlessly.
          if (restarts >= MOST_RESTARTS) return;
          keysOf(target, input)
            .then((now) => {
              if (isChanged || ended.signal.aborted || sameKeys(before, now)) return;
              isChanged = true;
              interrupt();
            })
            .catch(() => undefined);
        });
        changes.take();
        const round = await runChanged(target, before, { ...input, shell: { ...shell, onInterrupt } });
        if (ended.signal.aborted) return round;
        if (isChanged) {
          restarts++;
          continue;
        }
        restarts = 0;
        status = round;
      } catch (error) {
        shell.stderr.write(`${errorText(error, verbose)}\n`);
        status = statusOfError(error);
        // The configuration could not be loaded, so the folders to watch are unknown.
        if (changes === undefined) return status;
      }
      shell.stderr.write("\nWaiting for changes; Ctrl-C ends.\n");
      const changed = await next(changes, ended.signal);
      if (changed === undefined) return status;
      shell.stderr.write(
        `${printable(shownPath(changed[0]!, shell.cwd))}${changed.length > 1 ? ` and ${plural(changed.length - 1, "other file")}` : ""} changed.\n\n`,
      );
    }
  } finally {
    stopListening();
    await changes?.close();
  }
}

/** Runs the exploration files that have no stored result, and prints the stored results of the others. */
async function runChanged(
  target: Explorations,
  keys: ReadonlyMap<string, string>,
  { shell, run }: Pick<WatchInput, "shell" | "run">,
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
  // A result with exit status 3 may depend on chance, such as a busy machine.
  if ((status === 0 || status === 1) && id !== undefined && config.report.formats.length > 0) {
    kept.keep(new Map(affected.flatMap((file) => (keys.has(file) ? [[shown(file), keys.get(file)!] as const] : []))), id);
  }
  return worst([status, ...statuses]);
}

/**
 * Returns a hash for each exploration file, which changes with its code, the configuration, the environment, the target's files, and SQLite files that
 * lanes copy. Returns no hashes if a change could go unnoticed: if seqqa does not start the target, if there are services or databases on servers, or if
 * the command or the code of the target names files outside the target's folder or in a folder that is not watched, or if a package of a workspace is
 * linked into `node_modules`.
 */
async function keysOf(
  { files, config, options }: Explorations,
  { machinery, shell: { env } }: Pick<WatchInput, "machinery" | "shell">,
): Promise<ReadonlyMap<string, string>> {
  const urls = [config.dbUrl ?? "", ...Object.values(config.systems).map(({ url }) => url)];
  const copied = urls.map((url) => sqlitePathOf(url));
  const isForeign =
    config.baseUrl !== undefined ||
    config.lanes.length > 0 ||
    config.services.length > 0 ||
    config.composeFile !== undefined ||
    urls.some((url, at) => copied[at] === undefined && ON_SERVER.test(url)) ||
    UNWATCHED.test(config.target?.command ?? "");
  if (isForeign) return new Map();
  const known = config.knownFindings === undefined ? "" : readOr(config.knownFindings);
  const cwd = config.target?.cwd;
  const target = cwd === undefined ? "" : hashOfFolder(cwd, config.report.outputDir);
  const folders = new Set([...files, ...(config.target?.module === undefined ? [] : [config.target.module])].map((file) => dirname(file)));
  const packages = [...folders, ...(cwd === undefined ? [] : [cwd])].map((folder) => hashOfPackages(folder, cwd ?? folder));
  if (target === undefined || packages.includes(undefined)) return new Map();
  const versions = [packageVersion(), process.version, env];
  const stores = copied.flatMap((file) => (file === undefined ? [] : [hashOfFile(file), hashOfFile(`${file}-wal`)]));
  const module = config.target?.module;
  const hashes = new Map(await machinery.codeHashes(module === undefined ? files : [...files, module]));
  const common = JSON.stringify([
    { ...config, sources: undefined },
    options.only,
    known,
    target,
    packages,
    stores,
    hashes.get(module ?? ""),
    versions,
  ]);
  if (module !== undefined && !files.includes(module)) hashes.delete(module);
  return new Map(
    [...hashes].map(([file, code]) => {
      // A slow hash is used, because the hash is stored on disk and its input may contain secrets of the configuration.
      const key = scryptSync(`${code}\n${common}`, "seqqa run --watch", 32, { N: 4096, r: 8, p: 1 });
      return [file, key.toString("hex")] as const;
    }),
  );
}

const ON_SERVER = /^(?:postgres(?:ql)?|mysql|mariadb|rediss?|amqps?|nats):/;
/** Matches a command with a path outside the working directory, or in a folder whose name begins with a dot, such as `.output`. */
const UNWATCHED = /(?:^|[\s"'=])(?:\/|~|\S*\.\.\/|\S*\/?\.[\w-]+\/)/;

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The file of known findings does not exist. The run itself reports this error.
    return "";
  }
}

function sameKeys(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size > 0 && a.size === b.size && [...a].every(([file, key]) => b.get(file) === key);
}

async function next(changes: Changes, signal: AbortSignal): Promise<readonly string[] | undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    const tell = (): void => {
      const changed = changes.take();
      if (changed.length > 0) resolve(changed);
    };
    changes.listen(tell);
    tell();
  });
}
