import { scryptSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../config/index.ts";
import { sqlitePathOf } from "../../model/stores/sqlite-path.ts";
import { packageVersion } from "../../reports/document/package-version.ts";
import type { Machinery } from "../run/machinery.ts";
import type { RunTarget } from "../run/run-target.ts";
import {
  hashOfFile,
  hashOfFolder,
  hashOfPackages,
  isBuildFolder,
  isDevelopmentServer,
  stubDescriptions,
  watchedFolders,
} from "./watched-files.ts";

export type Explorations = RunTarget & { readonly kind: "explorations" };
/** The hash of the bundled code of each file, and the files from which the code comes. */
export type Code = Awaited<ReturnType<Machinery["codeHashes"]>>;

/**
 * Returns a hash for each exploration file. The hash depends on everything that influences the result, such as the exploration's code, the
 * configuration, the environment, the files in the folders of the target, of the explorations and of the configuration, and SQLite files that lanes
 * copy.
 *
 * Returns no hashes if seqqa cannot detect all changes. This is the case if seqqa does not start the target, and if there are services, databases on
 * servers or store adapters of the user. It is also the case if the target's command or code names files outside the target's folder or in a folder
 * that is not watched, and if a package of a workspace is linked into `node_modules`.
 */
export function keysOf({ files, config, options, directory }: Explorations, env: unknown, code: Code): ReadonlyMap<string, string> {
  const urls = [config.dbUrl ?? "", ...Object.values(config.systems).map(({ url }) => url)];
  const copied = urls.map((url) => sqlitePathOf(url));
  const isForeign =
    config.baseUrl !== undefined ||
    config.lanes.length > 0 ||
    config.services.length > 0 ||
    config.composeFile !== undefined ||
    Object.values(config.systems).some(({ adapter }) => adapter !== undefined) ||
    urls.some((url, at) => copied[at] === undefined && ON_SERVER.test(url)) ||
    namesUnwatched(config.target?.command ?? "");
  if (isForeign) return new Map();
  const known = config.knownFindings === undefined ? "" : readOr(config.knownFindings);
  const cwd = config.target?.cwd;
  const target =
    cwd === undefined ? "" : hashOfFolder(cwd, config.report.outputDir, undefined, isDevelopmentServer(config.target?.command));
  const others = hashesOfOthers(directory, config, code);
  const folders = new Set([...files, ...(config.target?.module === undefined ? [] : [config.target.module])].map((file) => dirname(file)));
  const packages = [...folders, ...(cwd === undefined ? [] : [cwd])].map((folder) => hashOfPackages(folder, cwd ?? folder));
  if ([target, ...others, ...packages].includes(undefined)) return new Map();
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
  return new Map(
    files.flatMap((file) => {
      const own = code.get(file);
      if (own === undefined) return [];
      // Use a slow hash, because the hash is stored on disk and its input may contain secrets of the configuration.
      const key = scryptSync(`${own.hash}\n${common}`, "seqqa run --watch", 32, { N: 4096, r: 8, p: 1 });
      return [[file, key.toString("hex")] as const];
    }),
  );
}

/**
 * Returns hashes of the watched folders without the target's folder, because explorations may read files in these folders at run time. Bundled files
 * are left out, because the hash of an exploration's code includes them.
 */
function hashesOfOthers(directory: string, config: Config, code: Code): readonly (string | undefined)[] {
  const bundled = new Set([...code.values()].flatMap(({ inputs }) => inputs));
  const cwd = config.target?.cwd;
  return watchedFolders(directory, config)
    .filter((folder) => folder !== cwd)
    .map((folder) => hashOfFolder(folder, config.report.outputDir, (path) => path === cwd || bundled.has(path)));
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
    // Use an empty text, because the file of known findings does not exist. The run itself reports this error.
    return "";
  }
}

/** Returns `true` if nothing that influences a run has changed. Without hashes, the answer is always `false`. */
export function sameKeys(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size > 0 && a.size === b.size && [...a].every(([file, key]) => b.get(file) === key);
}
