import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SourceMapInput } from "@jridgewell/trace-mapping";
import { mergeV8, type CoveredFunction } from "./merge-v8.ts";

/** The source map of a script as Node recorded it, and the lengths of the script's lines. */
export interface ScriptMap {
  readonly data: SourceMapInput | null;
  readonly lineLengths?: readonly number[] | undefined;
}

/** The coverage of a script, added up over all processes. */
export interface ScriptCoverage {
  readonly path: string;
  readonly functions: readonly CoveredFunction[];
  readonly map: ScriptMap | undefined;
}

/** The coverage files of a folder. */
export interface ReadCoverage {
  readonly scripts: readonly ScriptCoverage[];
  /** The number of files that were read. */
  readonly processes: number;
  /** The number of files that contain no coverage or are incomplete. */
  readonly unreadable: number;
}

interface V8File {
  readonly result: readonly { readonly url: string; readonly functions: readonly CoveredFunction[] }[];
  readonly "source-map-cache"?: Readonly<Record<string, ScriptMap>> | undefined;
}

/**
 * Reads the files that processes wrote to the folder of NODE_V8_COVERAGE, one file after another. Scripts that cannot contain code of counted files
 * are left out.
 */
export async function readCoverage(folder: string, isCounted: (file: string) => boolean): Promise<ReadCoverage> {
  const scripts = new Map<string, ScriptCoverage>();
  let [processes, unreadable] = [0, 0];
  for (const name of (await readdir(folder)).filter((one) => /^coverage-.*\.json$/.test(one)).toSorted()) {
    try {
      const file = JSON.parse(await readFile(join(folder, name), "utf8")) as V8File;
      for (const { url, functions } of file.result) {
        const map = file["source-map-cache"]?.[url];
        const path = pathOf(url);
        if (path === undefined || (map === undefined && !isCounted(path))) continue;
        const known = scripts.get(path);
        scripts.set(path, { path, functions: mergeV8([known?.functions ?? [], functions]), map: known?.map ?? map });
      }
      processes++;
    } catch {
      unreadable++;
    }
  }
  return { scripts: [...scripts.values()], processes, unreadable };
}

/** Returns the path of a script; `undefined` for Node's own scripts, for packages, and for code without a file. */
function pathOf(url: string): string | undefined {
  if (!url.startsWith("file://") || url.includes("/node_modules/")) return undefined;
  try {
    return fileURLToPath(new URL(url));
  } catch {
    return undefined;
  }
}
