import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Config, ReportFormat } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { htmlText, jsonPieces, junitText, printable, type ReportData } from "../../reports/index.ts";
import { OWN_ONLY, readFindings, readRun, unreadable, writeWhole, type KeptData } from "../../run-log/index.ts";
import type { Shell } from "../process/shell.ts";

export const FILES: Readonly<Record<ReportFormat, string>> = { html: "report.html", json: "results.json", junit: "junit.xml" };

const piecesOf: Readonly<Record<ReportFormat, (data: ReportData) => Iterable<string>>> = {
  html: (data) => [htmlText(data)],
  json: ({ document }) => jsonPieces(document),
  junit: ({ document }) => [junitText(document)],
};

/** Reads the data that these formats show. @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2 */
export function readFor(formats: readonly ReportFormat[], outputDir: string, id: string | undefined): KeptData {
  return (formats.some((format) => format !== "junit") ? readRun : readFindings)(outputDir, id);
}

/** Prints which runs were skipped in the search for the last one. */
export function tellSkipped({ stderr }: Shell, skipped: readonly string[]): void {
  for (const one of skipped) stderr.write(`note: ${printable(one)} An older one is taken.\n`);
}

/** Returns a run in one of the formats, in pieces. @throws SeqqaError `RUN_UNREADABLE`: a run log from somebody else may hold anything */
export function* reportPieces(format: ReportFormat, { file, data }: KeptData): Iterable<string> {
  try {
    yield* piecesOf[format](data);
  } catch (cause) {
    if (cause instanceof SeqqaError) throw cause;
    throw unreadable(file, "what it says is no result of seqqa", cause);
  }
}

/** Makes the folder of the reports before anything is sent, so that a long run does not fail at the end because it cannot write. */
export function prepareReports(config: Config): void {
  const { outputDir, formats } = config.report;
  if (formats.length === 0) return;
  try {
    mkdirSync(outputDir, { recursive: true });
    accessSync(outputDir, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(outputDir, cause, 2);
  }
}

/** Writes the formats of `report.formats` from the run log; without any, nothing. A reader never sees half a file. */
export function writeReports({ report: { outputDir, formats } }: Config, run: string): void {
  const stored = readFor(formats, outputDir, run);
  for (const format of formats) {
    const file = join(outputDir, FILES[format]);
    writing(file, () => writeWhole(file, reportPieces(format, stored), OWN_ONLY));
  }
}

/** @throws SeqqaError that names the file */
export function writing(file: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw cause instanceof SeqqaError ? cause : cannotWrite(file, cause, 3);
  }
}

export function cannotWrite(path: string, cause: unknown, exitStatus: 2 | 3): SeqqaError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new SeqqaError("REPORT_NOT_WRITTEN", `The report cannot be written to ${path} (${code}).`, {
    exitStatus,
    hint: "Name another folder with --output or report.output_dir.",
    cause,
  });
}
