import { junitText } from "../junit/junit.ts";
import type { ReportFormat } from "./report-format.ts";

export const format: ReportFormat = { file: "junit.xml", readsGraph: false, render: ({ document }) => junitText(document) };
