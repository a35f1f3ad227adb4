import type { ReportFormat } from "./report-format.ts";

/**
 * The built-in report formats, by their names in `report.formats` and `--format`. The code of a format is loaded only when it is used, because every
 * command needs the names, but few need the code.
 */
export const REPORT_FORMATS: Readonly<Record<string, () => Promise<{ readonly format: ReportFormat }>>> = {
  html: () => import("./html.ts"),
  json: () => import("./json.ts"),
  junit: () => import("./junit.ts"),
  sarif: () => import("./sarif.ts"),
};

export const REPORT_FORMAT_NAMES: readonly string[] = Object.keys(REPORT_FORMATS);
