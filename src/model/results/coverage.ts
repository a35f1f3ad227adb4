/** The answers that an exploration got from one operation of the OpenAPI description (`coverage.openapi`). */
export interface OperationCoverage {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path template, for example `/orders/{order_id}`, without the paths of server URLs. */
  readonly path: string;
  /** The described statuses: numbers, ranges such as `4XX`, and `default`. */
  readonly described: readonly string[];
  /** The statuses of the answers to committed steps and to `setup`, in ascending order. Empty if the operation was never called. */
  readonly seen: readonly number[];
  /** The described statuses that no answer had. */
  readonly missing: readonly string[];
  /** The statuses that answers had, but that the description does not list. */
  readonly undescribed: readonly number[];
}

/** The number of lines (or branches) of code, and the number of lines (or branches) that a run reached. */
export interface CodeCount {
  /** The number of all lines, or branches. */
  readonly total: number;
  /** The number of lines, or branches, that were executed at least once. */
  readonly covered: number;
}

/** The coverage of one source file of the target. */
export interface FileCoverage {
  /** The file, relative to the folder in which the command was started. */
  readonly file: string;
  /** The lines of the file. Empty lines and comments count as covered if the code around them is covered. */
  readonly lines: CodeCount;
  /** The blocks that V8 counts: functions that were called, and the branches in them. */
  readonly branches: CodeCount;
}

/**
 * The code of the target that a run executed (`coverage.code`), as V8 counts it. Code that ran in replays and checks counts, too. The coverage
 * depends on the number of lanes.
 */
export interface CodeCoverage {
  /** The lines of all files. */
  readonly lines: CodeCount;
  /** The branches of all files. */
  readonly branches: CodeCount;
  /** The files in the order of their names. */
  readonly files: readonly FileCoverage[];
  /** The number of coverage files that processes of the target wrote and seqqa read. 0: no process wrote its coverage. */
  readonly processes: number;
  /** Sentences that say which coverage is missing, and why. */
  readonly notes: readonly string[];
}

/** Returns the coverage of an operation whose answers had the given statuses. */
export function operationCovered(
  { method, path, described }: Pick<OperationCoverage, "method" | "path" | "described">,
  statuses: readonly number[],
): OperationCoverage {
  const seen = [...new Set(statuses)].toSorted((a, b) => a - b);
  const met = seen.map((status) => describedStatus(described, status));
  return {
    method,
    path,
    described,
    seen,
    missing: described.filter((status) => !met.includes(status)),
    undescribed: seen.filter((_, index) => met[index] === undefined),
  };
}

/** Returns the joined coverage of several explorations, or of several shards of one exploration, with one entry for each operation. */
export function joinedOperations(all: readonly (readonly OperationCoverage[])[]): readonly OperationCoverage[] {
  const joined = new Map<string, OperationCoverage>();
  for (const one of all.flat()) {
    const key = `${one.method} ${one.path}`;
    const known = joined.get(key);
    joined.set(key, known === undefined ? one : operationCovered(known, [...known.seen, ...one.seen]));
  }
  return [...joined.values()];
}

/**
 * Returns the described status that covers the status of an answer: the number itself, else its range, else `default`; `undefined` if there is none.
 */
function describedStatus(described: readonly string[], status: number): string | undefined {
  return [String(status), `${Math.trunc(status / 100)}XX`, "default"].find((one) => described.includes(one));
}
