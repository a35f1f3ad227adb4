import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Row } from "./support/row.ts";

const root = process.env["SEQQA_ROOT"] ?? "";
const GITHUB = join(root, "node_modules/@octokit/openapi/generated/api.github.com.json");
const EXAMPLES = join(root, "node_modules/@readme/oas-examples");

/**
 * Measures the time and memory for a folder from GitHub's API description, which is also type-checked, and for folders from all example descriptions.
 */
export default async function scaffold(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-bench-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/seqqa"));
    const written = await measured([join(root, "bin/seqqa.js"), "scaffold", "openapi", GITHUB, "--out", "github"], folder);
    const checked = await measured([join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", "github"], folder);
    const share = /^.* path parameters .*$/m.exec(written.stdout)?.[0] ?? "";
    const actions = /(\d+) actions/.exec(written.stdout)?.[1] ?? "?";
    return [
      { name: "GitHub's description, written", value: written.seconds, unit: "s", note: `${actions} actions; ${share}` },
      { name: "GitHub's description, type-checked", value: checked.seconds, unit: "s" },
      { name: "both", value: written.seconds + checked.seconds, unit: "s", note: "asked: 20" },
      { name: "peak memory, writing", value: written.megabytes, unit: "MB", note: "asked: 1,000" },
      { name: "peak memory, type-checking", value: checked.megabytes, unit: "MB", note: "asked: 1,000" },
      await examples(folder),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function examples(folder: string): Promise<Row> {
  const files = (readdirSync(EXAMPLES, { recursive: true }) as string[]).filter((path) => /^\d.*\.(?:json|ya?ml)$/.test(path)).sort();
  let seconds = 0;
  let empty = 0;
  for (const [index, file] of files.entries()) {
    const one = await measured(
      [join(root, "bin/seqqa.js"), "scaffold", "openapi", join(EXAMPLES, file), "--out", `example-${index}`],
      folder,
      [0, 2],
    );
    seconds += one.seconds;
    if (one.status === 2) empty++;
  }
  return {
    name: "an example description, on average",
    value: seconds / files.length,
    unit: "s",
    note: `${files.length} of them, ${empty} without an operation`,
  };
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
  readonly stdout: string;
  readonly status: number;
}

/** Runs a Node program to its end. The program itself reports its maximum memory. */
function measured(args: readonly string[], cwd: string, expected: readonly number[] = [0]): Promise<Measured> {
  const peak = `data:text/javascript,${encodeURIComponent('process.on("exit", () => process.send(process.resourceUsage().maxRSS))')}`;
  return new Promise((done, fail) => {
    const start = performance.now();
    const child = spawn(process.execPath, ["--import", peak, ...args], { cwd, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    let [stdout, stderr, kilobytes] = ["", "", 0];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("message", (rss: number) => (kilobytes = rss));
    child.once("close", (status) => {
      if (status === null || !expected.includes(status))
        fail(new Error(`${args.join(" ")} ended with ${status}: ${stderr || stdout.slice(0, 500)}`));
      else done({ seconds: (performance.now() - start) / 1000, megabytes: kilobytes / 1000, stdout, status });
    });
  });
}
