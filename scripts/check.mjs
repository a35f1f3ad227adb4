// `npm run check`: every static check, one after another, with all their complaints; exits 1 when one fails.
// `npm run check -- lint types` runs only those.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}` };

const run = (command, ...args) => {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) console.error(error.message);
  return status === 0;
};

const types = (project, name) =>
  run("tsc", "--noEmit", "-p", project, "--incremental", "--tsBuildInfoFile", `node_modules/.cache/${name}.tsbuildinfo`);

const steps = {
  // What was checked before and has not changed since is not checked again.
  types: () => types("tsconfig.json", "check") && types("src/reports/html/app/tsconfig.json", "check-report"),
  // The folder that `seqqa init` writes sees the package as its users do: by its declarations.
  lint: () => run("npm", "run", "--silent", "build:types") && run("oxlint", "--deny-warnings"),
  format: () => run("prettier", "--check", "--cache", "--log-level", "warn", "."),
  imports: () => run("depcruise", "--config", ".dependency-cruiser.cjs", "src"),
  "dead code": () => run("knip"),
  documents: () => run("node", "scripts/error-reference.mjs", "--check"),
  comments: () => run("node", "scripts/structure.mjs", "--comments"),
  parameters: () => run("node", "scripts/structure.mjs", "--parameters"),
  package: checkPackage,
};

/** Packs what would be published and looks at that, not at the folder. */
function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-pack-"));
  try {
    // With the scripts that npm runs to publish: they decide what is in it.
    const packed = spawnSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root, env, encoding: "utf8" });
    if (packed.status !== 0) {
      console.error(packed.stderr);
      return false;
    }
    const tarball = resolve(folder, JSON.parse(packed.stdout)[0].filename);
    const linted = run("publint", tarball, "--strict");
    return run("attw", tarball, "--profile", "esm-only", "--no-emoji", "--format", "ascii") && linted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`There is no check named ${unknown.join(", ")}; there are ${Object.keys(steps).join(", ")}.`);
  process.exit(2);
}

const failed = [];
for (const [name, step] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = performance.now();
  const passed = step();
  console.log(`${passed ? "ok    " : "FAILED"}  ${name}  (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  if (!passed) failed.push(name);
}
if (failed.length > 0) {
  console.error(`npm run check: ${failed.join(", ")} failed.`);
  process.exitCode = 1;
}
