import { htmlText } from "../html/html-text.ts";
import type { ReportFormat } from "./report-format.ts";

export const format: ReportFormat = { file: "report.html", render: htmlText };
