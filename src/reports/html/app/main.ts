import "./style.css";
import { startFindings } from "./findings.ts";
import { answerLayout } from "./graph/layout/layout-worker.ts";
import { startGraphs } from "./graph/start-graphs.ts";
import { startParts } from "./parts.ts";
import { startPrinting } from "./printing.ts";
import { startTheme } from "./theme.ts";

// The page starts its layout worker from this same script. Where `document` is missing, the script runs in the worker.
if (typeof document === "undefined") answerLayout();
else {
  document.documentElement.dataset["script"] = "on";
  startTheme();
  const parts = startParts();
  startGraphs(parts);
  startFindings(parts);
  startPrinting();
}
