import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  hashOfFolder,
  hashOfPackages,
  isIgnored,
  isWithin,
  reportFolder,
  watchedFolders,
} from "../../../../src/cli/watch/watched-files.ts";

/** A folder with files of these contents. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "seqqa-watched-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("the hash of a target's folder", () => {
  const hashOf = (text: string, name = "api/src/server.js"): string | undefined => {
    const folder = folderWith({ [name]: text, "lib/price.js": "" });
    return hashOfFolder(join(folder, "api"), join(folder, "reports"));
  };

  it.each([
    'import { price } from "../../lib/price.js";',
    "const price = require('./../../lib/price.js');",
    'import(join(root, "..", "lib", "price.js"));',
    "const price = require(`${root}/x`); // replace shop => ../../lib",
  ])("is unknown if a file names files outside: %s", (text) => expect(hashOf(text)).toBeUndefined());

  it.each(['import { price } from "../price.js";', "call(...all); // and so on ... / ..", 'fetch("/orders/../x"); const range = "1..2";'])(
    "is known if no file does: %s",
    (text) => {
      expect(hashOf(text)).toMatch(/^[0-9a-f]{64}$/);
      expect(hashOf(`${text} `)).not.toBe(hashOf(text));
    },
  );

  it("contains what a linked file contains, and is unknown with a linked folder", () => {
    const folder = folderWith({ "lib/price.js": "1", "api/server.js": "" });
    const hash = (): string | undefined => hashOfFolder(join(folder, "api"), join(folder, "reports"));
    symlinkSync(join(folder, "lib/price.js"), join(folder, "api/price.js"));
    const before = hash();
    writeFileSync(join(folder, "lib/price.js"), "2");
    expect(before).toBeDefined();
    expect(hash()).not.toBe(before);
    symlinkSync(join(folder, "lib"), join(folder, "api/lib"));
    expect(hash()).toBeUndefined();
  });
});

it("installed packages: the list that npm writes counts, a package of a workspace has no known hash", () => {
  const folder = folderWith({ "packages/price/index.js": "", "node_modules/.package-lock.json": "1", "api/server.js": "" });
  const hash = (hashed = "api"): string | undefined => hashOfPackages(join(folder, "api"), join(folder, hashed));
  const before = hash();
  expect(before).toBeDefined();
  writeFileSync(join(folder, "node_modules/.package-lock.json"), "2");
  expect(hash()).not.toBe(before);
  mkdirSync(join(folder, "node_modules/@shop"));
  symlinkSync(join(folder, "packages/price"), join(folder, "node_modules/@shop/price"));
  expect(hash()).toBeUndefined();
  // The whole repository is hashed.
  expect(hash(".")).toBeDefined();
});

it("a path is within its folder, the folder itself, and the root folder", () => {
  const within = (path: string, ...folders: readonly string[]): readonly boolean[] => folders.map((folder) => isWithin(path, folder));
  expect(within("/shop/a.ts", "/shop", "/shop/a.ts", "/", "/sho", "/other")).toEqual([true, true, true, false, false]);
  expect([isWithin("/", "/"), isWithin("/", "/shop")]).toEqual([true, false]);
});

it("in a folder that also holds sources, only the files that seqqa writes are ignored", () => {
  const ignored = (name: string, watched: string): boolean => isIgnored(join("/shop", name), reportFolder("/shop", [watched]), true);
  const names = ["report.html", "results.json.12.tmp", "watch.json", "shop.explore.ts", "seqqa.yaml"];
  expect(names.map((name) => ignored(name, "/shop"))).toEqual([true, true, true, false, false]);
  expect(isIgnored("/shop", reportFolder("/shop", ["/shop"]), false)).toBe(false);
  expect(names.map((name) => ignored(name, "/other"))).toEqual([true, true, true, true, true]);
});

it("hidden folders are ignored except those of builds, and explorations in one are watched beside the target's folder", () => {
  const names = [".next", ".output", ".venv", ".direnv", ".vercel", ".data", "src", "node_modules"];
  const ignored = names.filter((name) => isIgnored(join("/shop", name), reportFolder("/reports", ["/shop"]), false));
  expect(ignored).toEqual([".venv", ".direnv", ".vercel", ".data", "node_modules"]);
  const folders = (directory: string): readonly string[] =>
    watchedFolders(directory, { folder: directory, target: { cwd: "/shop" } } as unknown as Parameters<typeof watchedFolders>[1]);
  expect([folders("/shop/.qa"), folders("/shop/qa")]).toEqual([["/shop/.qa", "/shop"], ["/shop"]]);
});
