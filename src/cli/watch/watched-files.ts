import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Config } from "../../config/index.ts";
import { stubDescriptionOf } from "../../config/stub-description.ts";

/**
 * The extensions of source files of targets and explorations. Other files, such as databases and uploads, are ignored, because a run may write them.
 */
const SOURCES: ReadonlySet<string> = new Set(
  ".ts .mts .cts .tsx .js .mjs .cjs .jsx .json .yaml .yml .toml .py .rb .go .rs .java .kt .scala .php .cs .fs .ex .exs .erl .sql .graphql .proto .env .xml .html .hbs .ejs .jar .class .properties .conf .sh .vue .prisma .c .cc .cpp .h".split(
    " ",
  ),
);
/** Hidden folders in which frameworks and compilers write builds. Other hidden folders belong to tools, or contain installed packages or caches. */
const BUILDS: ReadonlySet<string> = new Set(
  ".next .nuxt .output .svelte-kit .build .vinxi .medusa .nitro .astro .tsbuild .dist .open-next .react-router".split(" "),
);
/** Files that test runners write to a folder `coverage`. A folder `coverage` without such a file contains sources. */
const COVERAGE: readonly string[] = ["lcov.info", "coverage-final.json", "clover.xml"];

export interface Watched {
  readonly folders: readonly string[];
  /** Single files that are watched even if files with such names, or in such folders, are usually ignored. */
  readonly files: readonly string[];
  /** `true`: builds in hidden folders are not watched, see {@link isDevelopmentServer}. */
  readonly withoutBuilds: boolean;
}

/**
 * Returns `true` for a command such as `next dev`. Such a development server generates its build from the watched sources, and writes the build again
 * during each run.
 */
export const isDevelopmentServer = (command: string | undefined): boolean => /(?:^|[\s:])dev(?:elop)?(?=$|[\s:;&|"'])/.test(command ?? "");

/**
 * Returns the folders with files that influence the result of a run: those of the explorations, of the configuration, and of a target that seqqa
 * starts.
 */
export function watchedFolders(directory: string, { folder, target }: Config): readonly string[] {
  const all = [
    directory,
    folder,
    ...(target === undefined ? [] : [target.cwd]),
    ...(target?.module === undefined ? [] : [dirname(target.module)]),
  ];
  return [...new Set(all)].filter((one) => !all.some((other) => other !== one && isWithin(one, other) && !isBelowHidden(one, other)));
}

/**
 * Returns the single files that influence the result of a run: the code of explorations, also outside the watched folders, the files that the target's
 * command names, and the modules and descriptions of stores.
 * @param code The files from which the code of the explorations comes.
 */
export function watchedFiles(config: Config, code: readonly string[]): readonly string[] {
  const { target, systems, knownFindings, coverage } = config;
  const adapters = Object.values(systems).flatMap(({ adapter }) => adapter ?? []);
  const others = [...adapters, ...stubDescriptions(config), knownFindings ?? "", coverage?.openapi ?? ""].filter((file) =>
    isAbsolute(file),
  );
  const files = [...code, ...(target?.command === undefined ? [] : filesOfCommand(target.command, target.cwd)), ...others];
  return [...new Set(files)].toSorted((a, b) => (a < b ? -1 : 1));
}

/** Returns the absolute paths of the OpenAPI descriptions of stubs. */
export function stubDescriptions({ systems }: Config): readonly string[] {
  return Object.values(systems).flatMap(({ url, adapter }) => (adapter === undefined ? (stubDescriptionOf(url) ?? []) : []));
}

/**
 * Returns the files that a shell command names, such as its program. A file in the folder `cwd` is also returned if it does not exist yet, because a
 * build may create it.
 */
export function filesOfCommand(command: string, cwd: string): readonly string[] {
  const words = command.replace(/\d?>+\s*\S+/g, " ").split(/[\s"'=;&|()<]+/);
  return words
    .filter((word) => word !== "")
    .map((word) => ({ word, path: resolve(cwd, word) }))
    .filter(({ path }) => !path.split(sep).includes("node_modules") && !WRITTEN.test(path))
    .filter(({ word, path }) => isFile(path) || (/^(?!\w+:)[^/]*\//.test(word) && !existsSync(path) && isWithin(path, cwd)))
    .map(({ path }) => path);
}

/** Files and folders that seqqa writes to the folder of reports, also while they still have a temporary name. */
const REPORTS =
  /^(?:runs|services|targets|(?:report\.html|results\.json|results\.sarif|junit\.xml|lcov\.info|watch\.json)(?:\.\d+\.tmp)?)$/;

/** The folder of reports, whose files are ignored. */
export interface ReportFolder {
  readonly path: string;
  /** `true` if the folder also contains watched files. Only the files that seqqa itself writes to the folder are then ignored. */
  readonly isShared: boolean;
}

export function reportFolder(path: string, watched: readonly string[]): ReportFolder {
  return { path, isShared: watched.some((folder) => isWithin(folder, path)) };
}

/**
 * Returns `true` for a file or folder whose changes cannot influence a run.
 * @param isFile `undefined` if it is unknown whether the path is a file.
 */
export function isIgnored(path: string, reports: ReportFolder, isFile: boolean | undefined): boolean {
  const isInside = dirname(path) === reports.path;
  if (reports.isShared ? isInside && REPORTS.test(basename(path)) : isInside || path === reports.path) return true;
  const name = basename(path);
  if (name.startsWith(".env")) return false;
  if (name === "node_modules" || name === "__pycache__") return true;
  if (isHidden(name) && (isFile === true || !BUILDS.has(name))) return true;
  if (name === "cache" && isHidden(basename(dirname(path)))) return true;
  if (name === "coverage" && COVERAGE.some((file) => existsSync(join(path, file)))) return true;
  return isFile === true && name !== "Dockerfile" && !SOURCES.has(extname(name) || name);
}

const isHidden = (name: string): boolean => name.startsWith(".") && name !== ".";

/** Returns `true` if a hidden folder is between `folder` and the folder `above`, so that watching `above` does not include `folder`. */
const isBelowHidden = (folder: string, above: string): boolean =>
  relative(above, folder)
    .split(sep)
    .some((name) => isHidden(name) && !isBuildFolder(name));

/** Returns `true` for the name of a hidden folder in which frameworks and compilers write builds, such as `.next`. */
export const isBuildFolder = (name: string): boolean => BUILDS.has(name);

/** Returns `true` for a file of a build in a hidden folder. A development server in the target may write such files during each run. */
export function isBuilt(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder) && relative(folder, dirname(path)).split(sep).some(isBuildFolder));
}

const WRITTEN = /\.(?:db|sqlite3?|log|pid|sock|tmp)(?:-\w+)?$/;
/** The maximum size in bytes of a file whose content is hashed. For a larger file, its size and modification time are hashed instead. */
const READ = 4_000_000;

interface HashOptions {
  /** Returns `true` for the files and folders to leave out. */
  readonly without?: ((path: string) => boolean) | undefined;
  /** `true`: the folder may contain links and paths that lead out of the folder. */
  readonly mayLeave?: boolean;
  /** `true`: builds in hidden folders are left out. */
  readonly withoutBuilds?: boolean;
  /** Called with the first file or link that leads out of the folder. */
  readonly onLeaving?: (path: string) => void;
}

/**
 * Returns a hash of the files in a folder, to detect changes. The hash includes files that are not sources, such as compiled programs. Returns
 * `undefined` if files outside the folder may belong to it: a link to a folder, or a source file with a path such as `../lib` that leads out of the
 * folder.
 */
export function hashOfFolder(
  folder: string,
  outputDir: string,
  { without, mayLeave = false, withoutBuilds = false, onLeaving }: HashOptions = {},
): string | undefined {
  const hash = createHash("sha256");
  const reports = reportFolder(outputDir, [folder]);
  const leaving = (path: string): false => {
    onLeaving?.(path);
    return false;
  };
  const visit = (path: string, depth: number): boolean =>
    entriesOf(path).every((entry) => {
      const inside = join(path, entry.name);
      if (isIgnored(inside, reports, undefined) || WRITTEN.test(entry.name) || without?.(inside) === true) return true;
      if (withoutBuilds && isBuildFolder(entry.name)) return true;
      if (entry.isDirectory()) return visit(inside, depth + 1);
      if (entry.isSymbolicLink() && isFolder(inside)) return leaving(inside);
      if (!entry.isFile() && !entry.isSymbolicLink()) return true;
      const content = contentOf(inside);
      // Check only the paths in sources. A build contains the code of packages, in which paths may refer to files that do not exist.
      const isSource = !mayLeave && !isIgnored(inside, reports, true) && !isBuilt(inside, [folder]);
      if (isSource && leavesFolder(withoutPackages(entry.name, content.toString()), depth)) return leaving(inside);
      hash
        .update(`${relative(folder, inside)}\0`)
        .update(content)
        .update("\0");
      return true;
    });
  return visit(folder, 0) ? hash.digest("hex") : undefined;
}

/**
 * Returns the text of a file without the paths at which packages are installed, because {@link hashOfPackages} detects packages outside the folder.
 */
function withoutPackages(name: string, text: string): string {
  if (name === "package-lock.json" || name === "npm-shrinkwrap.json" || name === "pnpm-lock.yaml") return "";
  return name === "package.json" ? text.replace(/"(?:file|link|portal):[^"]*"/g, "") : text;
}

/** Matches the beginning of a path that leads upwards, such as `../../` or `./../`; also a lone `..`, from which code builds paths. */
const UPWARDS = /(?<![\w./])(?:\.\/)?(?:((?:\.\.\/)+)|(?<=["'`])\.\.(?=["'`]))/g;

/**
 * Returns `true` if a path in a text leads out of the hashed folder.
 * @param depth The number of folders between the hashed folder and the file with this text.
 */
function leavesFolder(text: string, depth: number): boolean {
  return text.includes("..") && [...text.matchAll(UPWARDS)].some(([, ups]) => ups === undefined || ups.length / 3 > depth);
}

/**
 * Returns a hash of the list of packages that are installed for code in a folder. Returns `undefined` if a package is a link to a folder of source
 * files that is not in `hashed`, such as a package of a workspace. Such a package can change without an installation.
 */
export function hashOfPackages(folder: string, hashed: string): string | undefined {
  const hash = createHash("sha256");
  for (let above = folder; ; above = dirname(above)) {
    const modules = join(above, "node_modules");
    const entries = entriesOf(modules).flatMap((entry) =>
      entry.name.startsWith("@")
        ? entriesOf(join(modules, entry.name)).map((one) => ({ entry: one, name: join(entry.name, one.name) }))
        : [{ entry, name: entry.name }],
    );
    const isForeign = entries.some(({ entry, name }) => {
      // Ignore a link to seqqa itself, because the hash of a run already includes the version of seqqa.
      if (!entry.isSymbolicLink() || name === "seqqa") return false;
      const real = realOf(join(modules, name));
      return !real.includes(`${sep}node_modules${sep}`) && !isWithin(real, realOf(hashed));
    });
    if (isForeign) return undefined;
    for (const list of [".package-lock.json", ".modules.yaml", ".yarn-state.yml"]) hash.update(`${hashOfFile(join(modules, list))}\0`);
    if (above === dirname(above)) return hash.digest("hex");
  }
}

/** Returns `true` for a path in a folder, and for the folder itself. */
export function isWithin(path: string, folder: string): boolean {
  // The root folder `/` ends in a separator already.
  return `${path}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The link is broken.
    return path;
  }
}

/** Returns a hash of the content of a file, or an empty text if the file does not exist. */
export function hashOfFile(file: string): string {
  return existsSync(file) ? createHash("sha256").update(contentOf(file)).digest("hex") : "";
}

function contentOf(file: string): Buffer | string {
  try {
    const { size, mtimeMs } = statSync(file);
    return size > READ ? `${size} ${mtimeMs}` : readFileSync(file);
  } catch {
    return "";
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
