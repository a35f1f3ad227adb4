import { relative } from "node:path";
import libCoverage, { type CoverageMap } from "istanbul-lib-coverage";
import v8ToIstanbul from "v8-to-istanbul";
import type { Config } from "../../../config/index.ts";
import type { CodeCount, CodeCoverage } from "../../../model/results/coverage.ts";
import { countedFiles } from "./counted-files.ts";
import { lcovText, type LcovFile } from "./lcov-text.ts";
import { readCoverage, type ReadCoverage, type ScriptCoverage } from "./script-coverage.ts";

/** The coverage of the target's code, and the text of `lcov.info`. */
export interface MeasuredCode {
  readonly coverage: CodeCoverage;
  readonly lcov: string;
}

/**
 * Returns the coverage of the target's source files, from the coverage files that the target's processes wrote to a folder.
 * @param cwd The folder to which shown paths are relative.
 */
export async function codeCoverage(
  folder: string,
  config: Pick<Config, "coverage" | "folder" | "target">,
  cwd: string,
): Promise<MeasuredCode> {
  const isCounted = countedFiles(config);
  const read = await readCoverage(folder, isCounted);
  const map = libCoverage.createCoverageMap({});
  const failed: string[] = [];
  for (const script of read.scripts) await take(script, map, isCounted).catch(() => failed.push(script.path));
  const files = map
    .files()
    .toSorted()
    .map((path) => {
      const file = map.fileCoverageFor(path);
      return { file: relative(cwd, path), lines: file.getLineCoverage(), branches: file.data };
    });
  const counted = files.map((file) => ({ file: file.file, ...countsOf(file) }));
  const coverage = {
    lines: sumOf(counted.map(({ lines }) => lines)),
    branches: sumOf(counted.map(({ branches }) => branches)),
    files: counted,
    processes: read.processes,
    notes: notesOf(read, files.length, failed, cwd),
  };
  return { coverage, lcov: lcovText(files) };
}

/** Adds the source files of a script to the map. */
async function take(
  { path, functions, map: scriptMap }: ScriptCoverage,
  map: CoverageMap,
  isCounted: (file: string) => boolean,
): Promise<void> {
  const converter = v8ToIstanbul(path, 0, sourcesOf(scriptMap));
  await converter.load();
  converter.applyCoverage(functions.map(({ ranges, ...rest }) => ({ ...rest, ranges: [...ranges] })));
  const found = libCoverage.createCoverageMap(converter.toIstanbul());
  found.filter(isCounted);
  map.merge(found);
}

/**
 * Returns a script's source map in the form that `v8ToIstanbul` expects. The map needs the text of the script, of which Node keeps only the lengths
 * of the lines. The returned text has lines of these lengths, which is enough to convert offsets to lines.
 */
function sourcesOf(map: ScriptCoverage["map"]): Parameters<typeof v8ToIstanbul>[2] {
  if (map?.data === undefined || map.data === null) return undefined;
  const source = map.lineLengths?.map((length) => `${".".repeat(length)}\n`).join("");
  return { sourceMap: { sourcemap: map.data }, ...(source !== undefined && { source }) } as Parameters<typeof v8ToIstanbul>[2];
}

function countsOf({ lines, branches: { b } }: LcovFile): { readonly lines: CodeCount; readonly branches: CodeCount } {
  const countOf = (counts: readonly number[]): CodeCount => ({ total: counts.length, covered: counts.filter((count) => count > 0).length });
  return { lines: countOf(Object.values(lines)), branches: countOf(Object.values(b).flat()) };
}

function sumOf(counts: readonly CodeCount[]): CodeCount {
  return counts.reduce((sum, one) => ({ total: sum.total + one.total, covered: sum.covered + one.covered }), { total: 0, covered: 0 });
}

function notesOf({ processes, unreadable }: ReadCoverage, files: number, failed: readonly string[], cwd: string): readonly string[] {
  const notes: string[] = [];
  if (processes === 0)
    notes.push("Code coverage is missing: no target wrote its coverage. Either the target is not a Node process, or seqqa had to kill it.");
  else if (files === 0)
    notes.push(
      "Code coverage is empty: coverage.include and coverage.exclude select no file that the targets executed. Correct these patterns in seqqa.yaml.",
    );
  if (unreadable > 0)
    notes.push(`Code coverage is incomplete, because seqqa could not read coverage files of the target (number of files: ${unreadable}).`);
  for (const path of failed) notes.push(`Code coverage does not contain ${relative(cwd, path)}, because its source map could not be used.`);
  return notes;
}
