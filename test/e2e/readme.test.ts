import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { buildProgram } from "../../src/cli/arguments/program.ts";
import { loadConfig } from "../../src/config/index.ts";
import { some } from "../sizes.ts";
import { typeErrors } from "../support/type-check.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = page("README.md");
const guide = page("docs/guides/first-exploration.md");
const graphs = page("docs/guides/state-graphs.md");
const folder = mkdtempSync(join(tmpdir(), "seqqa-readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fenced blocks of a language in a page. */
function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter((one) => one[1] === language).map((one) => one[2]!);
}

/** The first fenced block of a language in a page. */
function block(text: string, language: string): string {
  const [found] = blocks(text, language);
  if (found === undefined) throw new Error(`The page has no block of "${language}".`);
  return found;
}

/** Puts the package into a project, which has no `fixtures` of its own. */
function install(project: string): void {
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(root, join(project, "node_modules/seqqa"));
}

/** All pages for users, without the generated reference of the API. */
const pages: readonly string[] = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !path.startsWith(join("reference", "api")) && !path.startsWith(".vitepress"))
    .map((path) => join("docs", path)),
];

describe("the README", () => {
  const explorations = [
    ["README.md", readme],
    ["the guide", guide],
  ] as const;
  it.each(some(explorations, 1))("has a first exploration that finds what it says: %s", (name, text) => {
    const own = join(folder, name.replace(/\W/g, ""));
    mkdirSync(join(own, "first"), { recursive: true });
    install(own);
    writeFileSync(join(own, "first/seqqa.yaml"), block(text, "yaml"));
    writeFileSync(join(own, "first/shop.explore.ts"), block(text, "ts"));
    const run = spawnSync(process.execPath, [join(root, "bin/seqqa.js"), "run", "first", "--parallel", "2"], {
      cwd: own,
      encoding: "utf8",
    });
    const promised = block(text, "").trim().split("\n");
    expect({ status: run.status, stderr: run.status === 1 ? "" : run.stderr }).toEqual({ status: 1, stderr: "" });
    const said = run.stdout.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
    for (const line of promised) expect(said).toContain(line.trim());
  });

  it("is short, and its links lead to files", () => {
    expect(readme.trim().split("\n").length).toBeLessThanOrEqual(150);
    for (const name of pages)
      for (const [, link] of page(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
        expect(existsSync(join(root, name, "..", link!)), `${name}: ${link}`).toBe(true);
  });

  it("has a state graph that runs against the same shop", () => {
    mkdirSync(join(folder, "graph"));
    install(folder);
    writeFileSync(join(folder, "graph/seqqa.yaml"), block(guide, "yaml"));
    writeFileSync(join(folder, "graph/order.explore.ts"), block(graphs, "ts"));
    const run = spawnSync(process.execPath, [join(root, "bin/seqqa.js"), "run", "graph"], { cwd: folder, encoding: "utf8" });
    expect({ status: run.status, stderr: run.status === 0 ? "" : run.stderr }).toEqual({ status: 0, stderr: "" });
    expect(run.stdout).toContain("order: exhaustive: 3 states, 0 open");
  });

  it("has TypeScript that type-checks against the package, on every page", () => {
    const own = join(folder, "typed");
    install(own);
    for (const name of ["vitest", "@playwright", "playwright-core"])
      if (existsSync(join(root, "node_modules", name))) symlinkSync(join(root, "node_modules", name), join(own, "node_modules", name));
    writeFileSync(join(own, "package.json"), '{ "type": "module" }');
    let count = 0;
    for (const name of pages) {
      for (const [index, code] of blocks(page(name), "ts").entries()) {
        count++;
        writeFileSync(join(own, `${name.replace(/\W/g, "-")}-${index}.ts`), code);
      }
    }
    expect(count).toBeGreaterThan(5);
    writeFileSync(
      join(own, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: "nodenext",
          target: "es2023",
          noEmit: true,
          skipLibCheck: true,
          types: ["node"],
          typeRoots: [join(root, "node_modules/@types")],
          moduleDetection: "force",
        },
        include: ["*.ts"],
      }),
    );
    expect(typeErrors(own).map((one) => one.replace(`${own}/`, ""))).toEqual([]);
  });

  it("has configurations that are taken, on every page", () => {
    for (const name of pages) {
      for (const yaml of blocks(page(name), "yaml").filter((text) =>
        /^(?:target|systems|exploration|base_url|report|lanes|services|clients):/m.test(text),
      )) {
        const cwd = mkdtempSync(join(folder, "config-"));
        writeFileSync(join(cwd, "seqqa.yaml"), yaml);
        const env = Object.fromEntries([...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, variable]) => [variable!, "given"]));
        expect(
          () => loadConfig({ file: join(cwd, "seqqa.yaml"), env, allowedStores: "unopened", unfinished: true }),
          `${name}:\n${yaml}`,
        ).not.toThrow();
      }
    }
  });

  it("has commands that exist, with options that they have, on every page", () => {
    const program = buildProgram("0", {} as never);
    const commands = new Map(program.commands.flatMap((one) => [one, ...one.commands]).map((one) => [one.name(), one]));
    const wrong: string[] = [];
    for (const name of pages) {
      for (const line of blocks(page(name), "sh").flatMap((text) => text.split("\n"))) {
        const [, called] = /(?:^|&& |\$ )(?:\w+=\S+ )*npx seqqa ([^#|&>]+)/.exec(line) ?? [];
        if (called === undefined) continue;
        const words = called.trim().split(/\s+/);
        if (words[0]!.startsWith("-")) continue;
        const command = words[0] === "scaffold" ? commands.get(words[1]!) : commands.get(words[0]!);
        if (command === undefined) wrong.push(`${name}: ${line}`);
        for (const flag of words.filter((word) => word.startsWith("--")).map((word) => word.split("=")[0]!))
          if (command !== undefined && !command.options.some(({ long }) => long === flag)) wrong.push(`${name}: ${flag} in ${line}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("names the version of the package", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
    expect(page("docs/reference/commands.md")).toContain(`prints \`${version}\``);
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`## [${version}]`);
  });
});
