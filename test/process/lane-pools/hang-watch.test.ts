import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "seqqa-hangs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs code in a process of its own. `limitMs`: the limit of its watch. */
function watched(work: string, limitMs: number): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const file = join(folder, `${Math.random()}.mjs`);
  const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)));
  const contents = `import { endOnHang, HangWatch } from ${source("lane-pools/inline/hang-watch.ts")};
import { LaneControl } from ${source("lane/bring-up/control.ts")};
process.on("exit", (status) => console.log("exit", status));
process.on("SIGINT", () => {});
endOnHang((error) => {
  process.stderr.write(error.message + "\\n" + error.hint + "\\n" + error.stack);
  process.exit(3);
});
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const control = new LaneControl();
const watch = new HangWatch(control, () => "create -> pay");
async function endless() { ${work} }
await watch.during(${limitMs}, endless);
watch.close();
console.log("done");`;
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
  });
  writeFileSync(file, outputFiles[0]!.text);
  return spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 20_000, killSignal: "SIGKILL" });
}

it("ends a process whose code loops without end, and names the step and the place", () => {
  const { status, stdout, stderr } = watched("await null; for (;;) {}", 1_000);
  expect(stderr).toContain("Your code blocked its thread for 1 s during create -> pay, so seqqa ended the run.\n");
  expect(stderr).toMatch(/\n\s+at (?:async )?endless/);
  expect({ status, stdout }).toEqual({ status: 3, stdout: "exit 3\n" });
});

it("does not end a process that waits, or whose lane sends heartbeats", () => {
  // Longer than the limit of the first test: on a busy machine, each second of the watch may pass without a tick.
  const busy = "const until = Date.now() + 4500; while (Date.now() < until) control.touch();";
  expect(watched(`await sleep(4500); ${busy}`, 4_000)).toMatchObject({ status: 0, stdout: "done\nexit 0\n" });
});
