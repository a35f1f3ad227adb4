import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { canInstall, install } from "./install.ts";
import { program } from "./services/service.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Starts Chromium. The set-up of the project `browser` has installed it. */
export function startBrowser(): Promise<Browser> {
  // Run by root, Chromium needs this flag. Having no sandbox is safe here, because the tests open only pages of this project.
  return chromium.launch({ executablePath: chromiumPath(), args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

/**
 * Returns the path of the Chromium that `SEQQA_TEST_CHROMIUM` names, or else of an installed one. If there is none, installs it (only on Debian, as
 * root).
 * @throws Error that says how to get one
 */
export function chromiumPath(): string {
  const how = "Install it (apt-get install chromium), or name its program in SEQQA_TEST_CHROMIUM.";
  const path = found();
  if (path !== undefined) return path;
  if (!canInstall()) throw new Error(`These tests need Chromium, and none is installed. ${how}`);
  const problem = install("chromium");
  if (problem !== undefined) throw new Error(`These tests need Chromium, and ${problem} ${how}`);
  const installed = found();
  if (installed === undefined) throw new Error(`apt-get installed chromium, but its program is not in the PATH. ${how}`);
  return installed;
}

function found(): string | undefined {
  const given = process.env["SEQQA_TEST_CHROMIUM"];
  if (given === undefined || given === "") return NAMES.map((name) => program(name)).find((path) => path !== undefined);
  if (!existsSync(given))
    throw new Error(`SEQQA_TEST_CHROMIUM names ${given}, which is not there. Name the program of an installed Chromium.`);
  return given;
}
