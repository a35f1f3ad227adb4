import type { ReportData } from "../document/report-data.ts";

/**
 * A report format. A run writes its file, and `seqqa report` writes the file again from a stored run. `report.formats` accepts a module whose default
 * export is a report format.
 */
export interface ReportFormat {
  /** The file name in the folder `report.output_dir`, such as `summary.md`. */
  readonly file: string;
  /** `false` if the format needs no graph and no states, so that they are not read from the run log. Default: `true`. */
  readonly readsGraph?: boolean | undefined;
  /**
   * Returns the content of the file, as one text or in pieces. The data is already redacted. The format must escape the data, because the data
   * contains values from the target.
   */
  render(data: ReportData): string | Iterable<string>;
}
