import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import { MODULE_PATH, type Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { printable, REPORT_FORMAT_NAMES, REPORT_FORMATS, type ReportFormat } from "../../reports/index.ts";
import { ensureFolder, OWN_ONLY, readFindings, readRun, unreadable, writeWhole, type KeptData } from "../../run-log/index.ts";
import { nearest } from "../../model/text/nearest.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import type { Machinery } from "./machinery.ts";

export interface LoadedFormat extends ReportFormat {
  readonly name: string;
}

export interface FormatPlace {
  readonly key: string;
  readonly folder: string;
  readonly machinery: Pick<Machinery, "loadExtension">;
}

/**
 * Loads report formats by name: those of seqqa, and modules of the user.
 * @throws SeqqaError `EXTENSION_*`, `LOAD_*`, `REPORT_FORMAT_INVALID` with exit status 2
 */
export async function loadFormats(names: readonly string[], place: FormatPlace): Promise<readonly LoadedFormat[]> {
  const formats = await Promise.all([...new Set(names)].map((name) => loadFormat(name, place)));
  for (const [index, { name, file }] of formats.entries()) {
    const first = formats.findIndex((one) => one.file.toLowerCase() === file.toLowerCase());
    if (first !== index) throw invalid(name, place.key, `writes the file ${file}, which the format ${formats[first]!.name} already writes`);
  }
  return formats;
}

/** Matches the file names that a report format may use. Folders and names that begin with a dot are not allowed: seqqa uses such names itself. */
const FILE_NAME = /^[\w-][\w .-]*$/;

/**
 * Loads one report format by its name.
 * @throws SeqqaError with the same codes as {@link loadFormats}
 */
export async function loadFormat(name: string, { key, folder, machinery }: FormatPlace): Promise<LoadedFormat> {
  const builtIn = Object.hasOwn(REPORT_FORMATS, name) ? REPORT_FORMATS[name] : undefined;
  if (builtIn !== undefined) return { ...(await builtIn()).format, name };
  if (!isAbsolute(name) && !MODULE_PATH.test(name)) {
    const near = nearest(name, REPORT_FORMAT_NAMES);
    const hint =
      near === undefined
        ? "Use one of these formats, or give the path of a module that exports your own format, such as ./mine.ts."
        : `Did you mean ${near}?`;
    throw usage(
      `The report format ${JSON.stringify(name)} in ${key} does not exist. The formats are ${REPORT_FORMAT_NAMES.join(", ")}.`,
      hint,
    );
  }
  const given = (await machinery.loadExtension({ name, key, folder })) as Partial<ReportFormat> | null;
  const { file, readsGraph } = given ?? {};
  if (typeof given?.render !== "function") throw invalid(name, key, "has no function render(data) in its default export");
  if (typeof file !== "string" || !FILE_NAME.test(file))
    throw invalid(name, key, "has a default export whose `file` is not a file name without a folder");
  return { name, file, readsGraph, render: (data) => given.render!(data) };
}

function invalid(name: string, key: string, what: string): SeqqaError {
  return new SeqqaError("REPORT_FORMAT_INVALID", `The report format ${printable(name)} of ${key} ${what}.`, {
    exitStatus: 2,
    hint: 'Write: export default { file: "summary.md", render: ({ document }) => ... } satisfies ReportFormat.',
  });
}

/**
 * Reads the data of a stored run that the given report formats need.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function readFor(formats: readonly ReportFormat[], outputDir: string, id: string | undefined): KeptData {
  return (formats.some(({ readsGraph }) => readsGraph !== false) ? readRun : readFindings)(outputDir, id);
}

/** Prints which stored runs could not be read and were skipped in the search for the last run. */
export function tellSkipped({ stderr }: Shell, skipped: readonly string[]): void {
  for (const one of skipped) stderr.write(`note: ${printable(one)} seqqa uses an older run.\n`);
}

/**
 * Renders a stored run in a report format. Yields the report in pieces.
 * @throws SeqqaError `RUN_UNREADABLE` if the run log has unexpected content; `REPORT_FORMAT_THREW` if a user's format throws an error
 */
export function* reportPieces(format: LoadedFormat, { file, data }: KeptData): Iterable<string> {
  try {
    const rendered = format.render(data);
    if (typeof rendered === "string") yield rendered;
    else yield* rendered;
  } catch (cause) {
    if (cause instanceof SeqqaError) throw cause;
    if (Object.hasOwn(REPORT_FORMATS, format.name)) throw unreadable(file, "its content is not the result of a seqqa run", cause);
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SeqqaError(
      "REPORT_FORMAT_THREW",
      `The function render() of the report format ${printable(format.name)} threw: ${printable(message)}.`,
      {
        hint: `Correct render(), and write the report again with seqqa report --format ${printable(format.name)}.`,
        cause,
      },
    );
  }
}

/** Creates the report folder before the first request is sent. Otherwise a long run would fail at its end if the folder is not writable. */
export function prepareReports(config: Config): void {
  const { outputDir, formats } = config.report;
  if (formats.length === 0) return;
  try {
    ensureFolder(outputDir);
    accessSync(outputDir, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(outputDir, cause, 2);
  }
}

/**
 * Writes the reports of a run in all given formats, and returns the paths of the files. Each file is replaced as a whole, so readers never see a
 * partial file. If a format fails, the other reports are still written.
 * @throws the first failure
 */
export function writeReports({ report: { outputDir } }: Config, formats: readonly LoadedFormat[], run: string): readonly string[] {
  const stored = readFor(formats, outputDir, run);
  const failures: unknown[] = [];
  for (const format of formats) {
    const file = join(outputDir, format.file);
    try {
      writing(file, () => writeWhole(file, reportPieces(format, stored), OWN_ONLY));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return formats.map(({ file }) => join(outputDir, file));
}

/** Runs `work`, which writes a file. @throws SeqqaError if `work` throws an error; the message contains the name of the file */
export function writing(file: string, work: () => void, hint?: string): void {
  try {
    work();
  } catch (cause) {
    throw cause instanceof SeqqaError ? cause : cannotWrite(file, cause, 3, hint);
  }
}

/** The hint for commands whose option `--output` names a file. */
export const FILE_HINT = "Give --output the path of a file in a writable folder, or - for standard output.";

export function cannotWrite(
  path: string,
  cause: unknown,
  exitStatus: 2 | 3,
  hint: string = "Choose a writable folder with --output or report.output_dir.",
): SeqqaError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const why = KINDS[code];
  return new SeqqaError(
    "REPORT_NOT_WRITTEN",
    `seqqa cannot write the report to ${path}${why === undefined ? ` (${code})` : `, because ${why}`}.`,
    {
      exitStatus,
      hint,
      cause,
    },
  );
}

/** The reason why a path cannot be written, for each error code of the file system that says that the path is of the wrong kind. */
const KINDS: Readonly<Record<string, string>> = {
  EISDIR: "this path is a folder",
  EEXIST: "a part of this path is a file and not a folder",
  ENOTDIR: "a part of this path is a file and not a folder",
};
