import type { ReportData } from "../document/report-data.ts";

/**
 * A format of reports: a file that a run writes, and `seqqa report` writes again from a stored run. A module whose default export is one can be named
 * in `report.formats`.
 */
export interface ReportFormat {
  /** Name of the file in `report.output_dir`, without a folder: `summary.md`. */
  readonly file: string;
  /** `false`: the format shows findings only, so the graph and the states of the run need not be read. Default: `true`. */
  readonly readsGraph?: boolean | undefined;
  /**
   * Returns the text of the file, at once or in pieces. The data is redacted already. Values in it come from the target, so they have to be escaped
   * for the format.
   */
  render(data: ReportData): string | Iterable<string>;
}
