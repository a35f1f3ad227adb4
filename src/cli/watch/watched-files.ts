import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, extname, join, sep } from "node:path";
import type { Config } from "../../config/index.ts";

/**
 * The extensions of source files of targets and explorations. Other files, such as databases and uploads, are ignored: a run may have written them.
 */
const SOURCES: ReadonlySet<string> = new Set(
  ".ts .mts .cts .tsx .js .mjs .cjs .jsx .json .yaml .yml .toml .py .rb .go .rs .java .kt .scala .php .cs .fs .ex .exs .erl .sql .graphql .proto .env .xml .html .hbs .ejs .jar .class .properties .conf .sh .vue .prisma .c .cc .cpp .h".split(
    " ",
  ),
);
const FOLDERS: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "coverage"]);

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
  return [...new Set(all)].filter((one) => !all.some((other) => other !== one && `${one}${sep}`.startsWith(`${other}${sep}`)));
}

/**
 * Returns `true` for a file or folder whose changes cannot influence a run.
 * @param isFile `undefined` if it is unknown whether the path is a file.
 */
export function isIgnored(path: string, outputDir: string, isFile: boolean | undefined): boolean {
  if (path === outputDir || dirname(path) === outputDir) return true;
  const name = basename(path);
  if (FOLDERS.has(name) || (name.startsWith(".") && name !== "." && !name.startsWith(".env"))) return true;
  return isFile === true && name !== "Dockerfile" && !SOURCES.has(extname(name) || name);
}

const WRITTEN = /\.(?:db|sqlite3?|log|pid|sock|tmp)(?:-\w+)?$/;
/** The maximum size in bytes of a file whose content is hashed. For a larger file, its size and modification time are hashed instead. */
const READ = 4_000_000;

/** Returns a hash of the files in a folder, to detect changes. It includes files that are not sources, such as compiled programs. */
export function hashOfFolder(folder: string, outputDir: string): string {
  const hash = createHash("sha256");
  const visit = (path: string): void => {
    for (const entry of entriesOf(path)) {
      const inside = join(path, entry.name);
      if (isIgnored(inside, outputDir, undefined) || WRITTEN.test(entry.name)) continue;
      if (entry.isDirectory()) visit(inside);
      else if (entry.isFile())
        hash
          .update(`${inside.slice(folder.length)}\0`)
          .update(contentOf(inside))
          .update("\0");
    }
  };
  visit(folder);
  return hash.digest("hex");
}

/** Returns a hash of the content of a file, which also tells a missing file from an empty one. */
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
