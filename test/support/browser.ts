import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { program } from "./services/service.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * Starts Chromium: the one that `SEQQA_TEST_CHROMIUM` names, or an installed one, or (Debian, as root) one that is installed now.
 * @throws Error that says how to get one
 */
export function startBrowser(): Promise<Browser> {
  // As root Chromium has no sandbox; the pages are our own.
  return chromium.launch({ executablePath: found() ?? installed(), args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

function found(): string | undefined {
  const given = process.env["SEQQA_TEST_CHROMIUM"];
  if (given === undefined || given === "") return NAMES.map((name) => program(name)).find((path) => path !== undefined);
  if (!existsSync(given))
    throw new Error(`SEQQA_TEST_CHROMIUM names ${given}, which is not there. Name the program of an installed Chromium.`);
  return given;
}

function installed(): string {
  const how = "Install it (apt-get install chromium), or name its program in SEQQA_TEST_CHROMIUM.";
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version"))
    throw new Error(`These tests need Chromium, and none is installed. ${how}`);
  try {
    const options = { stdio: "pipe", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
    execFileSync("apt-get", ["update", "-q"], options);
    execFileSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], options);
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: Buffer };
    throw new Error(
      `These tests need Chromium, and apt-get install chromium failed: ${(String(stderr ?? "").trim() || message).slice(-300)} ${how}`,
      { cause: error },
    );
  }
  const path = found();
  if (path === undefined) throw new Error(`apt-get installed chromium, but its program is not in the PATH. ${how}`);
  return path;
}
