import { jsonPieces } from "../json/json-text.ts";
import type { ReportFormat } from "./report-format.ts";

export const format: ReportFormat = { file: "results.json", render: ({ document }) => jsonPieces(document) };
