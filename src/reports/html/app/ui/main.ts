import "../style.css";
import "./ui.css";
import { answerLayout } from "../graph/layout/layout-worker.ts";
import { startPage } from "./page.ts";

// The page starts the layout worker from this same script. A worker has no `document`.
if (typeof document === "undefined") answerLayout();
else startPage();
