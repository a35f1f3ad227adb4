import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/e2e.ts";

/** A static import, or a call of `require` at the top level, e.g. `createRequire(import.meta.url)("name")`. */
const LOADED = /^(?:import|export)\b[^";]*"([^"]+)";$|^\S.*\b(?:require\d*|createRequire\d*\([^)]*\))\("([^"]+)"\)/gm;

/** Returns the names of the packages that an entry of the build imports statically or requires, also through other files of the build. */
function packagesOf(entry: string): ReadonlySet<string> {
  const files = new Set([join(root, "dist", entry)]);
  const packages = new Set<string>();
  for (const file of files)
    for (const [, imported, required] of readFileSync(file, "utf8").matchAll(LOADED)) {
      const name = imported ?? required ?? "";
      if (name.startsWith(".")) files.add(resolve(file, "..", name));
      else if (!name.startsWith("node:")) packages.add(name);
    }
  return packages;
}

/** Packages for threads, for --watch and for reading API descriptions. Loading them takes longer than most of the commands. */
const RARE = ["piscina", "comlink", "chokidar", "undici", "esbuild", "tough-cookie"];

it.each(["cli/index.js", "run/index.js"])("%s loads packages that few runs need only when they are needed", (entry) => {
  const packages = packagesOf(entry);
  expect(packages).toContain("better-sqlite3");
  expect(RARE.filter((name) => packages.has(name))).toEqual([]);
});

it("the command line loads no HTTP client before a command needs it", () => {
  expect([...packagesOf("cli/index.js")].filter((name) => name.startsWith("undici"))).toEqual([]);
});

it("the thread of a lane loads the HTTP client, and the code for cookies only when it needs it", () => {
  const packages = [...packagesOf("lane-pools/threads/worker.js"), ...packagesOf("adapters/http/index.js")];
  expect(packages.filter((name) => name.startsWith("undici"))).not.toEqual([]);
  expect(packages).not.toContain("tough-cookie");
});

it("exported classes and functions keep their names, which users see in printed values", async () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Record<string, { default?: string }> };
  const entries = Object.values(exports).flatMap(({ default: file }) => (file?.startsWith("./dist/") === true ? [file] : []));
  // The fixtures of test runners can be imported only by these.
  const ours = entries.filter((file) => !/testing\/\w+\//.test(file));
  for (const file of ours)
    for (const [name, value] of Object.entries((await import(join(root, file))) as Record<string, unknown>))
      if (typeof value === "function") expect(`${file}: ${value.name}`).toBe(`${file}: ${name}`);
});
