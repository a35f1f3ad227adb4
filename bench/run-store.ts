import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { full, median, type Row } from "./support/row.ts";

const ROOT = process.env["SEQQA_ROOT"]!;
const BIN = join(ROOT, "bin/seqqa.js");
/** A module that prints the maximum memory and the CPU time of its process on standard error. */
const WATCH =
  "data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();process.stderr.write('max RSS '+u.maxRSS+', CPU '+(u.userCPUTime+u.systemCPUTime))})";

interface Ran {
  readonly stdout: string;
  readonly seconds: number;
  readonly maxRssMiB: number;
  readonly cpuSeconds: number;
}

/** Measures the run log: its cost in a run over HTTP, and the time to make reports of the whole ledger from it. */
export default async function runStore(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-bench-run-store-"));
  try {
    return [...(await costOfTheStore(folder)), ...(await reportsOfTheLedger(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Explores the ledger over HTTP and SQLite with two lanes, with and without a run log. Every second round has the reverse order. */
async function costOfTheStore(folder: string): Promise<readonly Row[]> {
  const steps = full ? 60_000 : 10_000;
  const target = `target: { command: node server.mjs, cwd: ${join(ROOT, "fixtures/ledger")}, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\nparallel: 2\n`;
  writeFileSync(join(folder, "with.yaml"), `${target}report: { formats: [json], output_dir: cost }\n`);
  writeFileSync(join(folder, "without.yaml"), `${target}report: { formats: [] }\n`);
  const rates = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < (full ? 5 : 3); round++) {
    for (const way of round % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const)) {
      const config = join(folder, `${way}.yaml`);
      const args = ["run", "fixtures/ledger", "--only", "ledger", "--max-steps", String(steps), "--reporter", "json", "--config", config];
      const { stdout } = await seqqa(args);
      const [explored] = (
        JSON.parse(stdout) as { readonly explorations: readonly { readonly steps: number; readonly durationMs: number }[] }
      ).explorations;
      rates[way].push((explored!.steps / explored!.durationMs) * 1000);
    }
  }
  const note = `ledger, HTTP + SQLite, 2 lanes, ${steps} steps, lanes' start included`;
  return [
    { name: "without a store", value: median(rates.without), unit: "steps/s", note },
    { name: "with a store", value: median(rates.with), unit: "steps/s", note: "requests and responses of the first 20,000 steps in it" },
    { name: "with a store to without", value: median(rates.with) / median(rates.without), unit: "ratio" },
  ];
}

/**
 * Explores the whole ledger and makes reports in every format. The API is a fetch handler in the lane's thread, called by an `HttpClient`, so that
 * requests and answers are in the run log.
 */
async function reportsOfTheLedger(folder: string): Promise<readonly Row[]> {
  const module = join(ROOT, "bench/in-process/target.ts");
  const config = join(folder, "whole.yaml");
  writeFileSync(
    config,
    `target: { module: ${module}, env: { DB_PATH: "{db_path}" } }\nreport: { formats: [json], output_dir: whole }\nexploration: { max_steps: 400000 }\n`,
  );
  const { stdout } = await seqqa(["run", "bench/in-process", "--reporter", "json", "--config", config]);
  const { run, explorations } = JSON.parse(stdout) as {
    readonly run: string;
    readonly explorations: readonly { readonly transitions: number }[];
  };
  const megabytes = statSync(join(folder, "whole/runs", `${run}.db`)).size / 2 ** 20;
  const note = `${explorations[0]!.transitions} transitions, a store of ${megabytes.toFixed(0)} MiB`;
  const rows: Row[] = [];
  for (const format of ["html", "json", "junit"]) {
    const rounds: Ran[] = [];
    for (let round = 0; round < (full ? 5 : 3); round++) {
      rounds.push(await seqqa(["report", "--config", config, "--format", format, "--output", join(folder, "report")]));
    }
    const size = statSync(join(folder, "report")).size / 2 ** 20;
    const cpu = median(rounds.map(({ cpuSeconds }) => cpuSeconds));
    const seconds = median(rounds.map((round) => round.seconds));
    rows.push({
      name: `seqqa report, ${format}`,
      value: seconds,
      unit: "s",
      note: `at most 5; ${cpu.toFixed(1)} s of CPU; ${note}; ${size.toFixed(1)} MiB`,
    });
    const most = Math.max(...rounds.map((round) => round.maxRssMiB));
    rows.push({ name: `seqqa report, ${format}: memory`, value: most, unit: "MiB", note: "at most 300" });
  }
  return rows;
}

function seqqa(args: readonly string[]): Promise<Ran> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", WATCH, BIN, ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const [, rss, cpu] = /max RSS (\d+), CPU (\d+)/.exec(stderr) ?? [];
      if (code !== 0 || rss === undefined) reject(new Error(`seqqa ${args.join(" ")} ended with ${code}: ${stderr}`));
      else resolve({ stdout, seconds: (performance.now() - start) / 1000, maxRssMiB: Number(rss) / 1024, cpuSeconds: Number(cpu) / 1e6 });
    });
  });
}
