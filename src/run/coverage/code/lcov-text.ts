import type { FileCoverageData } from "istanbul-lib-coverage";

/** The counts of executed lines and branches of a source file, in the form of `lcov.info`. */
export interface LcovFile {
  /** The path that `lcov.info` shows. */
  readonly file: string;
  /** The number of executions of each line, by line number from 1. */
  readonly lines: Readonly<Record<string, number>>;
  readonly branches: Pick<FileCoverageData, "branchMap" | "b">;
}

/** Returns the text of `lcov.info`, with the lines and branches of files. */
export function lcovText(files: readonly LcovFile[]): string {
  return files.map(record).join("");
}

function record({ file, lines, branches }: LcovFile): string {
  const executed = Object.entries(lines).map(([line, count]) => [Number(line), count] as const);
  const taken = Object.entries(branches.branchMap).flatMap(([key, { loc }], block) =>
    (branches.b[key] ?? []).map((count, branch) => ({ line: loc.start.line, block, branch, count })),
  );
  return [
    "TN:",
    // A line break in a file's name would begin another record.
    `SF:${file.replaceAll(/[\r\n]/g, "?")}`,
    ...taken.map(({ line, block, branch, count }) => `BRDA:${line},${block},${branch},${count}`),
    `BRF:${taken.length}`,
    `BRH:${taken.filter(({ count }) => count > 0).length}`,
    ...executed.toSorted(([a], [b]) => a - b).map(([line, count]) => `DA:${line},${count}`),
    `LF:${executed.length}`,
    `LH:${executed.filter(([, count]) => count > 0).length}`,
    "end_of_record\n",
  ].join("\n");
}
