import { accessSync, constants, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/index.ts";
import { SeqqaError } from "../model/errors.ts";
import { jsonText, runDocument, type RunReport } from "../reports/index.ts";

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

/** Writes what `report.formats` asks for. A reader never sees half a file. */
export function writeReports(config: Config, report: RunReport): void {
  const { outputDir, formats } = config.report;
  if (!formats.includes("json")) return;
  const file = join(outputDir, "results.json");
  try {
    mkdirSync(outputDir, { recursive: true });
    writeFileSync(`${file}.${process.pid}.tmp`, jsonText(runDocument(report, config.report)));
    renameSync(`${file}.${process.pid}.tmp`, file);
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
