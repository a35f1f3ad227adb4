import { scryptSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/index.ts";
import { sqlitePathOf } from "../../model/stores/sqlite-path.ts";
import { packageVersion } from "../../reports/document/package-version.ts";
import type { Machinery } from "../run/machinery.ts";
import type { RunTarget } from "../run/run-target.ts";
import { shownPath } from "../process/shown-path.ts";
import type { TargetFiles } from "./target-files.ts";
import {
  hashOfFile,
  hashOfFolder,
  hashOfPackages,
  isBuildFolder,
  isDevelopmentServer,
  isWithin,
  stubDescriptions,
  watchedFolders,
} from "./watched-files.ts";

export type Explorations = RunTarget & { readonly kind: "explorations" };
/** The hash of the bundled code of each file, and the files from which the code comes. */
export type Code = Awaited<ReturnType<Machinery["codeHashes"]>>;

export interface Keys {
  /** A hash for each exploration file. Empty if seqqa cannot detect all changes. */
  readonly keys: ReadonlyMap<string, string>;
  /** The reason why explorations are repeated although they may not have changed. */
  readonly note?: string | undefined;
}

/**
 * Returns a hash for each exploration file. The hash depends on everything that influences the result, such as the exploration's code, the
 * configuration, the environment, the files in the folders of the target, of the explorations and of the configuration, and SQLite files that lanes
 * copy.
 *
 * Returns no hashes if seqqa cannot detect all changes, that is in these cases:
 * - seqqa does not start the target.
 * - The configuration has services, databases on servers, or store adapters of the user.
 * - The target's command or code names files outside the target's folder, or in a folder that is not watched.
 * - A package of a workspace is linked into `node_modules`.
 */
export function keysOf(found: Explorations, env: unknown, code: Code, imported: TargetFiles): Keys {
  const { files, config, options, directory } = found;
  const without = (why: string): Keys => ({ keys: new Map(), note: `note: Each change repeats all explorations, because ${why}.` });
  const urls = [config.dbUrl ?? "", ...Object.values(config.systems).map(({ url }) => url)];
  const copied = urls.map((url) => sqlitePathOf(url));
  const foreign = foreignPart(config, urls);
  if (foreign !== undefined) return without(foreign);
  const known = config.knownFindings === undefined ? "" : readOr(config.knownFindings);
  const cwd = config.target?.cwd;
  const own = ownFiles(found, code);
  const isOfExplorations = (path: string): boolean => "files" in imported && own(path) && !imported.files.has(path);
  let outside: string | undefined;
  const target =
    cwd === undefined
      ? ""
      : hashOfFolder(cwd, config.report.outputDir, {
          without: isOfExplorations,
          withoutBuilds: isDevelopmentServer(config.target?.command),
          onLeaving: (path) => (outside = path),
        });
  if (target === undefined) return without(`${shownPath(outside!, cwd!)} names files outside the folder of the target`);
  const others = hashesOfOthers(found, code);
  if (others.includes(undefined)) return without("a watched folder contains a link to another folder");
  const folders = new Set([...files, ...(config.target?.module === undefined ? [] : [config.target.module])].map((file) => dirname(file)));
  const packages = [...folders, ...(cwd === undefined ? [] : [cwd])].map((folder) => hashOfPackages(folder, cwd ?? folder));
  if (packages.includes(undefined)) return without("a package in node_modules is a link to a folder that seqqa does not watch");
  const versions = [packageVersion(), process.version, env];
  const stores = copied.flatMap((file) => (file === undefined ? [] : [hashOfFile(file), hashOfFile(`${file}-wal`)]));
  const module = code.get(config.target?.module ?? "")?.hash;
  const stubs = stubDescriptions(config).map(hashOfFile);
  const common = JSON.stringify([
    { ...config, sources: undefined },
    options.only,
    known,
    target,
    others,
    packages,
    [...stores, ...stubs],
    module,
    versions,
  ]);
  const keys = files.flatMap((file) => {
    const one = code.get(file);
    if (one === undefined) return [];
    // Use a slow hash, because the hash is stored on disk and its input may contain secrets of the configuration.
    const key = scryptSync(`${one.hash}\n${common}`, "seqqa run --watch", 32, { N: 4096, r: 8, p: 1 });
    return [[file, key.toString("hex")] as const];
  });
  const isInside = cwd !== undefined && [directory, config.folder].some((folder) => isWithin(folder, cwd));
  const note =
    "unknown" in imported && isInside
      ? `note: A change of the code of one exploration repeats all explorations, because ${imported.unknown}.`
      : undefined;
  return { keys: new Map(keys), note };
}

/** Names a part of the configuration whose changes seqqa cannot detect. Returns `undefined` if there is none. */
function foreignPart(config: Config, urls: readonly string[]): string | undefined {
  if (config.baseUrl !== undefined || config.lanes.length > 0) return "seqqa does not start the target";
  if (config.services.length > 0 || config.composeFile !== undefined) return "the run needs services, whose files seqqa does not watch";
  if (Object.values(config.systems).some(({ adapter }) => adapter !== undefined)) return "a store has an adapter of your own";
  if (urls.some((url) => sqlitePathOf(url) === undefined && ON_SERVER.test(url))) return "a store is on a server";
  return namesUnwatched(config.target?.command ?? "") ? "target.command names files in a folder that seqqa does not watch" : undefined;
}

/**
 * Returns a function that returns `true` for files of explorations and journeys in their own folder. Such files are not sources of the target unless
 * the target imports them.
 */
function ownFiles({ files, config, directory }: Explorations, code: Code): (path: string) => boolean {
  const bundled = new Set(files.flatMap((file) => code.get(file)?.inputs ?? []));
  const journeys = join(config.folder, "journeys");
  return (path) =>
    (bundled.has(path) && [directory, config.folder].some((folder) => isWithin(path, folder))) ||
    /\.explore\.[cm]?[jt]sx?$/.test(path) ||
    (path !== journeys && isWithin(path, journeys) && /\.[cm]?[jt]s$/.test(path));
}

/**
 * Returns hashes of the watched folders, except the target's folder, because explorations may read files in these folders at run time. Files of the
 * exploration's bundle are left out, because the hash of the exploration's code includes them.
 */
function hashesOfOthers({ directory, config }: Explorations, code: Code): readonly (string | undefined)[] {
  const bundled = new Set([...code.values()].flatMap(({ inputs }) => inputs));
  const cwd = config.target?.cwd;
  return watchedFolders(directory, config)
    .filter((folder) => folder !== cwd)
    .map((folder) =>
      hashOfFolder(folder, config.report.outputDir, { without: (path) => path === cwd || bundled.has(path), mayLeave: true }),
    );
}

const ON_SERVER = /^(?:postgres(?:ql)?|mysql|mariadb|rediss?|amqps?|nats):/;
/** Returns `true` for a command with a path outside the working directory, or in a hidden folder that is not hashed, such as `.venv/bin/python`. */
function namesUnwatched(command: string): boolean {
  const hidden = [...command.matchAll(/(?<![^\s"'=/])\.[\w-]+(?=\/)/g)];
  return OUTSIDE.test(command) || hidden.some(([name]) => !isBuildFolder(name));
}

const OUTSIDE = /(?:^|[\s"'=])(?:\/|~|\S*\.\.\/)/;

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The file of known findings does not exist. Use an empty text here, because the run itself reports this error.
    return "";
  }
}

/** Returns `true` if both maps have the same hashes, so that nothing that influences a run has changed. Returns `false` for empty maps. */
export function sameKeys(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size > 0 && a.size === b.size && [...a].every(([file, key]) => b.get(file) === key);
}
