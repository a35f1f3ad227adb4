import { sarifText } from "../sarif/sarif-text.ts";
import type { ReportFormat } from "./report-format.ts";

export const format: ReportFormat = { file: "results.sarif", readsGraph: false, render: ({ document }) => sarifText(document) };
