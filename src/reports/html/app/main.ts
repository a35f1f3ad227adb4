import "./style.css";
import { startFindings } from "./findings.ts";
import { answerLayout } from "./graph/layout/layout-worker.ts";
import { startGraphs } from "./graph/start-graphs.ts";
import { startParts } from "./parts.ts";
import { startTheme } from "./theme.ts";
import { all } from "./make.ts";

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

/** Opens all collapsed elements before the page is printed, and closes them again afterwards. */
function startPrinting(): void {
  let opened: readonly HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = all<HTMLDetailsElement>("details:not([open])").filter((one) => one.closest(".controls") === null);
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    opened = [];
  });
}
