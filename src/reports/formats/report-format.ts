import type { ReportData } from "../document/report-data.ts";

/**
 * A format of reports: a file that a run writes, and that `seqqa report` writes again from a stored run. `report.formats` accepts a module whose
 * default export is a report format.
 */
export interface ReportFormat {
  /** The name of the file in `report.output_dir`, without a folder: `summary.md`. */
  readonly file: string;
  /** `false` if the format shows findings only. The graph and the states of the run are then not read. Default: `true`. */
  readonly readsGraph?: boolean | undefined;
  /**
   * Returns the text of the file, at once or in pieces. The data is already redacted. Values come from the target, so the format must escape them.
   */
  render(data: ReportData): string | Iterable<string>;
}
