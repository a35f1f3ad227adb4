import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Config, ReportFormat } from "../config/index.ts";
import { SeqqaError } from "../model/errors.ts";
import { htmlText, jsonText, junitText, runDocument, type RunDocument, type RunReport } from "../reports/index.ts";
import { saveRun, writeWhole } from "../store/index.ts";

export const FILES: Readonly<Record<ReportFormat, string>> = { html: "report.html", json: "results.json", junit: "junit.xml" };

/** A run's document in one of the formats. */
export const textOf: Readonly<Record<ReportFormat, (document: RunDocument) => string>> = {
  html: htmlText,
  json: jsonText,
  junit: junitText,
};

/** Makes the folder of the reports before anything is sent, so that a long run does not end with nowhere to write. */
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

/** Keeps the run for `seqqa report`, and writes what `report.formats` asks for; without any, nothing. A reader never sees half a file. */
export function writeReports(config: Config, report: RunReport): void {
  const { outputDir, formats } = config.report;
  if (formats.length === 0) return;
  const document = runDocument(report, config.report);
  const text = jsonText(document);
  writing(join(outputDir, "runs", `${report.run}.json`), () => saveRun(outputDir, report.run, text));
  for (const format of formats) {
    const file = join(outputDir, FILES[format]);
    writing(file, () => writeWhole(file, format === "json" ? text : textOf[format](document)));
  }
}

/** @throws SeqqaError that names the file */
export function writing(file: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw cannotWrite(file, cause, 3);
  }
}

function cannotWrite(path: string, cause: unknown, exitStatus: 2 | 3): SeqqaError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new SeqqaError("REPORT_NOT_WRITTEN", `The report cannot be written to ${path} (${code}).`, {
    exitStatus,
    hint: "Name another folder with --output or report.output_dir.",
    cause,
  });
}
