import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "seqqa-readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text: text! }));

/** The first fenced block of a language in which a word stands. */
function block(language: string, word = ""): string {
  const found = blocks.find((candidate) => candidate.language === language && candidate.text.includes(word));
  if (found === undefined) throw new Error(`The README has no block of "${language}".`);
  return found.text;
}

describe("the README", () => {
  it("has a first exploration that finds what it says", () => {
    mkdirSync(join(folder, "qa"));
    symlinkSync(join(root, "fixtures"), join(folder, "fixtures"));
    writeFileSync(join(folder, "qa/seqqa.yaml"), block("yaml"));
    writeFileSync(join(folder, "qa/shop.explore.ts"), block("ts"));
    const run = spawnSync(process.execPath, [join(root, "bin/seqqa.js"), "run", "qa", "--parallel", "2"], {
      cwd: folder,
      encoding: "utf8",
    });
    const promised = block("").trim().split("\n");
    expect({ status: run.status, stderr: run.status === 1 ? "" : run.stderr }).toEqual({ status: 1, stderr: "" });
    const said = run.stdout.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
    for (const line of promised) expect(said).toContain(line.trim());
  });

  it("has a state graph that runs against the same shop", () => {
    mkdirSync(join(folder, "graph"));
    writeFileSync(join(folder, "graph/seqqa.yaml"), block("yaml"));
    writeFileSync(join(folder, "graph/order.explore.ts"), block("ts", "StateGraph"));
    const run = spawnSync(process.execPath, [join(root, "bin/seqqa.js"), "run", "graph"], { cwd: folder, encoding: "utf8" });
    expect({ status: run.status, stderr: run.status === 0 ? "" : run.stderr }).toEqual({ status: 0, stderr: "" });
    expect(run.stdout).toContain("order: exhaustive: 3 states, 0 open");
  });

  it("names the version of the package", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
    expect(readme).toContain(`prints \`${version}\``);
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`## ${version}`);
  });
});
