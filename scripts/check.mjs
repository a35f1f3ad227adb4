// `npm run check`: runs all static checks, two at a time, and prints all their complaints. Exits with 1 if a check fails.
// `npm run check -- lint types` runs only the named checks.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}` };

/** Runs a program to its end. Resolves to an object that says if the program succeeded, and what it printed on each stream. */
const output = (command, ...args) =>
  new Promise((done) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    const printed = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) child[stream].setEncoding("utf8").on("data", (text) => (printed[stream] += text));
    child.once("error", (error) => done({ passed: false, stdout: "", stderr: `${error.message}\n` }));
    child.once("close", (status) => done({ passed: status === 0, ...printed }));
  });

// TypeScript 7 is several times as fast as 6, whose API the scripts and tests need that read source code.
const types = (project, name) => () =>
  output(
    "node",
    "node_modules/typescript-7/bin/tsc",
    "--noEmit",
    "-p",
    project,
    "--incremental",
    "--tsBuildInfoFile",
    `node_modules/.cache/${name}.tsbuildinfo`,
  );

/** Runs programs one after another until one fails. */
const inTurn =
  (...programs) =>
  async () => {
    const all = { passed: true, stdout: "", stderr: "" };
    for (const program of programs) {
      const { passed, stdout, stderr } = await program();
      Object.assign(all, { passed, stdout: all.stdout + stdout, stderr: all.stderr + stderr });
      if (!passed) break;
    }
    return all;
  };

const run =
  (...program) =>
  () =>
    output(...program);

// The two lists run at the same time, the checks of one list in order. All checks that write `dist` are in the same list.
const lists = [
  {
    // `build:types` comes first, because the folder that `seqqa init` writes imports the package by its declarations, as users do.
    lint: inTurn(run("npm", "run", "--silent", "build:types"), run("oxlint", "--deny-warnings")),
    package: checkPackage,
    format: run("oxfmt", "--check", "."),
    documents: inTurn(run("node", "scripts/error-reference.mjs", "--check"), run("node", "scripts/public-docs.mjs")),
    imports: run("depcruise", "--config", ".dependency-cruiser.cjs", "src"),
    "dead code": run("knip"),
  },
  {
    // With `--incremental`, files that have not changed since the last check are not checked again.
    types: inTurn(types("tsconfig.json", "check"), types("src/reports/html/app/tsconfig.json", "check-report")),
    structure: run("node", "scripts/structure.mjs", "--comments", "--parameters"),
    "merge conflicts": noConflictMarkers,
  },
];

/** Fails if a file contains the markers of an unfinished merge, also as the formatter of Markdown rewrites them. */
async function noConflictMarkers() {
  const { passed, stdout, stderr } = await output("git", "grep", "-nE", "^ *(<{7} |(> ?){7}[a-z0-9]|\\\\?={7}$)");
  return { passed: !passed, stdout, stderr };
}

/** Packs the package as for publishing, and checks the packed file instead of the folder. */
async function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-pack-"));
  try {
    // `npm pack` runs the same scripts as publishing, and these determine the content of the package.
    const packed = await output("npm", "pack", "--json", "--pack-destination", folder);
    if (!packed.passed) return packed;
    const tarball = resolve(folder, JSON.parse(packed.stdout)[0].filename);
    return await inTurn(
      run("publint", tarball, "--strict"),
      run("attw", tarball, "--profile", "esm-only", "--no-emoji", "--format", "ascii"),
    )();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const names = lists.flatMap((list) => Object.keys(list));
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no check named ${unknown.join(", ")}; there are ${names.join(", ")}.`);
  process.exit(2);
}

const failed = [];
await Promise.all(
  lists.map(async (list) => {
    for (const [name, step] of Object.entries(list)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const start = performance.now();
      const { passed, stdout, stderr } = await step();
      if (!passed) process.stderr.write(stdout + stderr);
      console.log(`${passed ? "ok    " : "FAILED"}  ${name}  (${((performance.now() - start) / 1000).toFixed(1)} s)`);
      if (!passed) failed.push(name);
    }
  }),
);
if (failed.length > 0) {
  console.error(`npm run check: ${failed.join(", ")} failed.`);
  process.exitCode = 1;
}
