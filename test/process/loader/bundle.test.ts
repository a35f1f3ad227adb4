import { symlinkSync } from "node:fs";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/index.ts";
import { bundle, load } from "../../../src/loader/index.ts";
import { bundled, loaded, workspace } from "./workspace.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

describe("what users import", () => {
  it("follows tsconfig paths, JSON, and other files of the user's own", async () => {
    const module = await loaded(
      {
        "tsconfig.json": `{ "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } } // comments too`,
        "lib/price.ts": `export const price: number = 100;`,
        "qa/data.json": `{ "users": ["ann"] }`,
        "qa/helper.js": `export const twice = (n) => 2 * n;`,
        "qa/a.explore.ts": `import { price } from "@lib/price"; import data from "./data.json" with { type: "json" }; import { users } from "./data.json";
        import { twice } from "./helper.js"; import type { Nothing } from "./nowhere.ts"; export const all = [twice(price), data.users, users];`,
      },
      "qa/a.explore.ts",
    );
    expect(module["all"]).toEqual([200, ["ann"], ["ann"]]);
  });

  it("loads packages as Node does: CommonJS with any named import, ESM, dual, native, subpaths, by require", async () => {
    const files = {
      "node_modules/cjs/package.json": `{ "name": "cjs", "main": "main.js", "module": "wrong.mjs" }`,
      // Named exports that cannot be seen without running it.
      "node_modules/cjs/main.js": `for (const name of ["one", "two"]) module.exports[name] = name + __filename.slice(-7); module.exports.dep = require("esm-free");`,
      "node_modules/esm-free/index.js": `module.exports = "dep";`,
      "node_modules/esm/package.json": `{ "name": "esm", "type": "module", "exports": { ".": "./index.js", "./sub": "./sub.js" } }`,
      "node_modules/esm/index.js": `export default import.meta.url; export const top = await 5;`,
      "node_modules/esm/sub.js": `export const sub = 1;`,
      "node_modules/dual/package.json": `{ "name": "dual", "exports": { "import": "./i.mjs", "require": "./r.cjs" } }`,
      "node_modules/dual/i.mjs": `export const kind = "import";`,
      "node_modules/dual/r.cjs": `exports.kind = "require";`,
      "old.cjs": `exports.kind = require("dual").kind; exports.dir = __dirname; exports.file = require.resolve("dual");`,
      "a.explore.ts": `import cjs, { one, two, dep } from "cjs"; import url, { top } from "esm"; import { sub } from "esm/sub"; import { kind } from "dual";
        import Database from "better-sqlite3"; import old from "./old.cjs"; import { join } from "path"; import * as fs from "node:fs";
        export const row = new Database(":memory:").prepare("SELECT 7 AS x").get();
        export const all = { one, two, dep, same: cjs.one === one, url, top, sub, kind, old, joined: join("a", "b"), fs: typeof fs.readFileSync };
        export const lazy = async () => (await import("esm")).top;`,
    };
    const folder = workspace(files);
    symlinkSync(join(repository, "node_modules/better-sqlite3"), join(folder, "node_modules/better-sqlite3"));
    const module = await load(await bundle(join(folder, "a.explore.ts"), { outDir: join(workspace({}), "elsewhere") }));
    expect(module["row"]).toEqual({ x: 7 });
    expect(module["all"]).toEqual({
      one: "onemain.js",
      two: "twomain.js",
      dep: "dep",
      same: true,
      top: 5,
      sub: 1,
      kind: "import",
      joined: "a/b",
      fs: "function",
      url: pathToFileURL(join(folder, "node_modules/esm/index.js")).href,
      old: { kind: "require", dir: folder, file: join(folder, "node_modules/dual/r.cjs") },
    });
    expect(await (module["lazy"] as () => Promise<number>)()).toBe(5);
  });

  it("is the running copy of seqqa, whatever is installed", async () => {
    const module = await loaded({
      "node_modules/seqqa/package.json": `{ "name": "seqqa", "main": "other.js" }`,
      "node_modules/seqqa/other.js": `throw new Error("another copy")`,
      "a.explore.ts": `import { SeqqaError } from "seqqa"; import { HttpClient } from "seqqa/adapters/http"; export const error = new SeqqaError("X", "x"); export { HttpClient };`,
    });
    expect(module["error"]).toBeInstanceOf(SeqqaError);
    const { HttpClient } = await import("../../../src/adapters/http/index.ts");
    expect(module["HttpClient"]).toBe(HttpClient);
  });

  it("waits at the top level, takes decorators and enums, and a require of the user's own", async () => {
    const module = await loaded(
      {
        "a.explore.mts": `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);
        enum Kind { A = "a" } export const kind: Kind = await Promise.resolve(Kind.A); export const dep: string = require("./dep.cjs");`,
        "dep.cjs": `module.exports = "dep";`,
      },
      "a.explore.mts",
    );
    expect([module["kind"], module["dep"]]).toEqual(["a", "dep"]);
  });

  it("follows tsconfig.json in imported files: decorators and class fields", async () => {
    const module = await loaded({
      "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true, "useDefineForClassFields": false } }',
      "lib/part.ts": `const named = (_target: object, key: string) => void (names.push(key)); export const names: unknown[] = [];
        class Base { field = 1; } class Part extends Base { declare x: number; field!: number; @named part!: string; }
        export const field = new Part().field;`,
      "a.explore.ts": 'export { names, field } from "./lib/part.ts";',
    });
    expect([module["names"], module["field"]]).toEqual([["part"], 1]);
  });

  it("keeps import.meta, __dirname and __filename the user's own", async () => {
    const files = {
      "lib/where.ts": `export const url = import.meta.url; export const all = [import.meta.dirname, import.meta.filename, __dirname, __filename];
        export const resolved = [import.meta.resolve("./x.js"), import.meta.resolve("node:fs"), import.meta.resolve("dep")]; const { url: taken } = import.meta; export { taken };`,
      "node_modules/dep/index.js": "",
      "a.explore.ts": `export const here = import.meta.url; export * from "./lib/where.ts";`,
    };
    const folder = workspace(files);
    const module = await load(await bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }));
    const where = join(folder, "lib/where.ts");
    expect(module["here"]).toBe(pathToFileURL(join(folder, "a.explore.ts")).href);
    expect([module["url"], module["taken"]]).toEqual(Array(2).fill(pathToFileURL(where).href));
    expect(module["all"]).toEqual([dirname(where), where, dirname(where), where]);
    expect(module["resolved"]).toEqual([
      pathToFileURL(join(folder, "lib/x.js")).href,
      "node:fs",
      pathToFileURL(join(folder, "node_modules/dep/index.js")).href,
    ]);
  });

  it("keeps __dirname in a CommonJS file with a hashbang", async () => {
    const files = {
      "bin/tool.cjs": "#!/usr/bin/env node\nmodule.exports = __dirname;\n",
      "a.explore.ts": 'import tool from "./bin/tool.cjs"; export const dir = tool;',
    };
    const folder = workspace(files);
    const module = await load(await bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }));
    expect(module["dir"]).toBe(join(folder, "bin"));
  });
});

describe("a bundle", () => {
  it("names the user's files that it contains, also outside its folder, and none of packages", async () => {
    const folder = workspace({
      "qa/a.explore.ts":
        'import { price } from "../shared/price.ts"; import text from "./note.txt"; import { x } from "pkg"; export const agent = [price, text, x];',
      "qa/note.txt": "1",
      "shared/price.ts": "export const price = import.meta.url;",
      "node_modules/pkg/package.json": '{"name":"pkg","main":"index.js"}',
      "node_modules/pkg/index.js": "exports.x = 1;",
    });
    const { inputs } = await bundle(join(folder, "qa/a.explore.ts"), { outDir: workspace({}) });
    expect(inputs.toSorted()).toEqual(["qa/a.explore.ts", "qa/note.txt", "shared/price.ts"].map((name) => join(folder, name)));
  });

  it("has a hash that follows the code and not the place", async () => {
    const files = (n: number): Record<string, string> => ({ "a.explore.ts": `export const n = ${n};` });
    const folder = workspace(files(1));
    const [one, again] = [
      await bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }),
      await bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }),
    ];
    const two = await bundled(files(2));
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(again.hash).toBe(one.hash);
    expect(two.hash).not.toBe(one.hash);
    expect(one.source).toBe(join(folder, "a.explore.ts"));
    expect(readFileSync(`${one.file}.map`, "utf8")).toContain("a.explore.ts");
  });

  it("has the same hash in another checkout, packages, own files and seqqa included, and another one for another package or depth", async () => {
    const checkout = (more: Record<string, string> = {}): Record<string, string> => ({
      "node_modules/dep/package.json": `{ "name": "dep", "main": "index.js" }`,
      "node_modules/dep/index.js": `exports.n = 1;`,
      "node_modules/esm/package.json": `{ "name": "esm", "type": "module", "main": "index.js" }`,
      "node_modules/esm/index.js": `export const n = 1;`,
      "shared/where.ts": `export const place = [import.meta.url, import.meta.dirname, import.meta.filename];`,
      "shared/old.cjs": `module.exports = [__dirname, __filename, require("dep")];`,
      "qa/a.explore.ts": `import { Agent } from "seqqa"; import { n } from "dep"; import { n as m } from "esm";
        import { place } from "../shared/where.ts"; import old from "../shared/old.cjs";
        export const all = [Agent, n, m, place, old, import.meta.url];`,
      ...more,
    });
    const hashOf = async (files: Record<string, string>, entry = "qa/a.explore.ts"): Promise<string> =>
      (await bundle(join(workspace(files), entry), { outDir: workspace({}) })).hash;
    const hash = await hashOf(checkout());
    expect(await hashOf(checkout())).toBe(hash);
    const deeper = Object.fromEntries(Object.entries(checkout()).map(([name, text]) => [`deep/er/${name}`, text]));
    expect(await hashOf(deeper, "deep/er/qa/a.explore.ts")).toBe(hash);
    const moved = { ...checkout(), "qa/node_modules/dep/package.json": `{ "name": "dep", "main": "index.js" }` };
    expect(await hashOf({ ...moved, "qa/node_modules/dep/index.js": `exports.n = 1;` })).not.toBe(hash);
    expect(await hashOf(checkout({ "shared/where.ts": `export const place = [import.meta.url];` }))).not.toBe(hash);
  });

  it("does not meet another of the same name", async () => {
    const folder = workspace({ "x/a.explore.ts": `export const n = 1;`, "y/a.explore.ts": `export const n = 1;` });
    const outDir = workspace({});
    const [x, y] = [await bundle(join(folder, "x/a.explore.ts"), { outDir }), await bundle(join(folder, "y/a.explore.ts"), { outDir })];
    expect(x.file).not.toBe(y.file);
  });

  it("lists the literals of the user's own code, decoded, from every kind of string", async () => {
    const { literals } = await bundled({
      "data.json": `{ "id": "6f1c2a3e-0000-4000-8000-00000000json" }`,
      "node_modules/pkg/index.js": `exports.id = "a literal of a package";`,
      "lib.ts": `export const lib = "literal-in-a-library";`,
      "a.explore.ts": `import data from "./data.json"; import "./lib.ts"; import { id } from "pkg"; import { lib } from "./lib.ts";
        const n = 8, g = 2; // "a comment is none"
        export const quotient = n / g / n; export const pattern = (s: string) => /["'\`]no literal/.test(s) || /[/"]neither/.exec(s);
        export const all = [data, id, lib, 'single "quoted" ü', \`template-\${n + \`inner-template-\${{ a: "in-braces" }.a}\`}-and-the-tail\`, "short", "esc\\u0061ped\\nline", "tab\\there\\x41"];`,
    });
    // What the bundler itself adds is harmless: no id equals it.
    const own = literals.slice(literals.findIndex((literal) => literal.startsWith("6f1c2a3e")));
    expect(literals.join()).not.toMatch(/a literal of a package|a comment is none|no literal|neither/);
    expect(own).toEqual([
      "6f1c2a3e-0000-4000-8000-00000000json",
      "literal-in-a-library",
      'single "quoted" ü',
      "template-",
      "inner-template-",
      "in-braces",
      "-and-the-tail",
      "escaped\nline",
      "tab\thereA",
    ]);
  });
});
