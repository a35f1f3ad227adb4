import "../style.css";
import "./ui.css";
import { answerLayout } from "../graph/layout/layout-worker.ts";
import { startPage } from "./page.ts";

// One file serves as the page's script and as the worker's, as in the report.
if (typeof document === "undefined") answerLayout();
else startPage();
