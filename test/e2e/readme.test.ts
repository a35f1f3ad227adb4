import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = page("README.md");
const guide = page("docs/guides/first-exploration.md");
const graphs = page("docs/guides/state-graphs.md");
const folder = mkdtempSync(join(tmpdir(), "seqqa-readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first fenced block of a language in a page. */
function block(text: string, language: string): string {
  const found = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].find((one) => one[1] === language);
  if (found === undefined) throw new Error(`The page has no block of "${language}".`);
  return found[2]!;
}

describe("the README", () => {
  it.each([
    ["README.md", readme],
    ["the guide", guide],
  ])("has a first exploration that finds what it says: %s", (name, text) => {
    const own = join(folder, name.replace(/\W/g, ""));
    mkdirSync(join(own, "qa"), { recursive: true });
    symlinkSync(join(root, "fixtures"), join(own, "fixtures"));
    writeFileSync(join(own, "qa/seqqa.yaml"), block(text, "yaml"));
    writeFileSync(join(own, "qa/shop.explore.ts"), block(text, "ts"));
    const run = spawnSync(process.execPath, [join(root, "bin/seqqa.js"), "run", "qa", "--parallel", "2"], { cwd: own, encoding: "utf8" });
    const promised = block(text, "").trim().split("\n");
    expect({ status: run.status, stderr: run.status === 1 ? "" : run.stderr }).toEqual({ status: 1, stderr: "" });
    const said = run.stdout.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
    for (const line of promised) expect(said).toContain(line.trim());
  });

  it("is short, and its links lead to files", () => {
    expect(readme.trim().split("\n").length).toBeLessThanOrEqual(150);
    for (const name of ["README.md", "docs/README.md"])
      for (const [, link] of page(name).matchAll(/\]\((?!https?:)([^)#]+)/g))
        expect(existsSync(join(root, name, "..", link!)), `${name}: ${link}`).toBe(true);
  });

  it("has a state graph that runs against the same shop", () => {
    mkdirSync(join(folder, "graph"));
    symlinkSync(join(root, "fixtures"), join(folder, "fixtures"));
    writeFileSync(join(folder, "graph/seqqa.yaml"), block(guide, "yaml"));
    writeFileSync(join(folder, "graph/order.explore.ts"), block(graphs, "ts"));
    const run = spawnSync(process.execPath, [join(root, "bin/seqqa.js"), "run", "graph"], { cwd: folder, encoding: "utf8" });
    expect({ status: run.status, stderr: run.status === 0 ? "" : run.stderr }).toEqual({ status: 0, stderr: "" });
    expect(run.stdout).toContain("order: exhaustive: 3 states, 0 open");
  });

  it("names the version of the package", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
    expect(page("docs/reference/commands.md")).toContain(`prints \`${version}\``);
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`## ${version}`);
  });
});
