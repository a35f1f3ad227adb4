import "../style.css";
import "./ui.css";
import { answerLayout } from "../graph/layout/layout-worker.ts";
import { startPage } from "./page.ts";

// The page starts its layout worker from this same script. Where `document` is missing, the script runs in the worker.
if (typeof document === "undefined") answerLayout();
else startPage();
