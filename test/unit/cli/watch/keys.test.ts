import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { keysOf, sameKeys, type Keys } from "../../../../src/cli/watch/keys.ts";
import { loadConfig } from "../../../../src/config/index.ts";
import { targetFiles } from "../../../../src/cli/watch/target-files.ts";
import { codeHashes, importedFiles } from "../../../support/cli-harness.ts";

const FILES = {
  "seqqa.yaml": "target:\n  command: node server.js\n  cwd: api\n",
  "api/server.js": "",
  "a.explore.ts": 'import { price } from "./price.ts";\nexport const agent = { price };\n',
  "b.explore.ts": "export const agent = {};\n",
  "price.ts": "export const price = 1;\n",
  "payments.yaml": "openapi: 3.1.0\n",
};

function written(files: Readonly<Record<string, string>>): {
  readonly folder: string;
  readonly write: (name: string, text: string) => void;
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "seqqa-keys-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write };
}

/** A project, and what its keys are now. */
function project(files: Readonly<Record<string, string>> = {}): {
  readonly write: (name: string, text: string) => void;
  readonly keys: () => ReadonlyMap<string, string>;
  readonly of: (keys: ReadonlyMap<string, string>, name: string) => string | undefined;
} {
  const { folder, write } = written({ ...FILES, ...files });
  const explorations = ["a.explore.ts", "b.explore.ts"].map((name) => join(folder, name));
  const keys = (): ReadonlyMap<string, string> => {
    const config = loadConfig({ directory: folder, cwd: folder, env: {} });
    const target = { kind: "explorations", config, directory: folder, files: explorations, stored: undefined, options: {} } as const;
    return keysOf(target, {}, codeHashes(explorations), { unknown: "it is not the subject of this test" }).keys;
  };
  return { write, keys, of: (found, name) => found.get(join(folder, name)) };
}

const withStores = (stores: string): Readonly<Record<string, string>> => ({ "seqqa.yaml": `${FILES["seqqa.yaml"]}systems:\n${stores}` });

describe("the keys of explorations", () => {
  it.each([
    ["a file that an exploration reads", "testdata/customers.csv"],
    ["a source in a folder named coverage", "api/src/coverage/rates.ts"],
    ["a source of the target", "api/server.js"],
    ["the description of a stub", "payments.yaml"],
    ["an .env file", ".env.test"],
    ["a build in a hidden folder of the target", "api/.next/server/app.js"],
    ["a file without extension in such a build", "api/.output/server/BUILD_ID"],
  ])("change with %s", (_what, name) => {
    const { write, keys } = project(withStores("  payments: { url: 'stub://http?openapi=./payments.yaml' }\n"));
    write(name, "1");
    const before = keys();
    expect(sameKeys(before, keys())).toBe(true);
    write(name, "2");
    expect([...keys().values()].filter((key) => [...before.values()].includes(key))).toEqual([]);
  });

  it("an import counts only for the explorations that import it", () => {
    const { write, keys, of } = project();
    const before = keys();
    write("price.ts", "export const price = 2;\n");
    const now = keys();
    expect(of(now, "a.explore.ts")).not.toBe(of(before, "a.explore.ts"));
    expect(of(now, "b.explore.ts")).toBe(of(before, "b.explore.ts"));
  });

  it.each([
    ["the output of a test runner", "api/coverage/index.html"],
    ["the cache of a build", "api/.next/cache/webpack/0.pack"],
    ["what tools of developers write", "api/.git/index"],
    ["a package that a tool installed", "api/.direnv/python/site.py"],
    ["a hidden file", "api/.server.js.swp"],
  ])("%s does not count", (_what, name) => {
    const { write, keys } = project({ "api/coverage/lcov.info": "" });
    const before = keys();
    expect(before.size).toBe(2);
    write(name, "2");
    expect(sameKeys(before, keys())).toBe(true);
  });

  it("are known if a build names files outside, as the code of packages does", () => {
    const { keys } = project({ "api/.next/server/app.js": 'require(".."); import("../../../../../x.js");' });
    expect(keys().size).toBe(2);
  });

  it("are unknown if a store has an adapter of the user, whatever its URL", () => {
    const { keys } = project({
      ...withStores("  cart: { url: 'cart://127.0.0.1/test', adapter: ./cart-store.ts }\n"),
      "cart-store.ts": "",
    });
    expect(keys()).toEqual(new Map());
  });

  it.each([
    ["node .output/server/index.mjs", true],
    ["node ./.next/standalone/server.js --port=1", true],
    ["NODE_ENV=test node apps/web/.svelte-kit/index.js", true],
    [".venv/bin/python server.py", false],
    ["node ./.server/index.js", false],
    ["node dist/.hidden/index.js", false],
    ["node ../shop/server.js", false],
    ["/opt/shop/server", false],
  ])("a command in a build folder is hashed, in another hidden folder or outside it is not: %s", (command, isKnown) => {
    const { keys } = project({ "seqqa.yaml": `target:\n  command: ${command}\n  cwd: api\n` });
    expect(keys().size).toBe(isKnown ? 2 : 0);
  });

  it.each([
    ["npx next dev --port 1", true],
    ["npm run dev", true],
    ["npx medusa develop", true],
    ["npx next start", false],
    ["NODE_ENV=dev node .next/server.js", false],
  ])("a build counts unless a development server makes it from the sources: %s", (command, isSame) => {
    const { write, keys } = project({ "seqqa.yaml": `target:\n  command: ${command}\n  cwd: api\n`, "api/.next/app.js": "1" });
    const before = keys();
    write("api/.next/app.js", "2");
    expect([before.size, sameKeys(before, keys())]).toEqual([2, isSame]);
    const built = keys();
    write("api/server.js", "2");
    expect(sameKeys(built, keys())).toBe(false);
  });
});

describe("explorations in a folder of the target", () => {
  const OWN = {
    "server.mjs": 'import { tax } from "./qa/tax.ts";\n',
    "qa/seqqa.yaml": "target:\n  command: node server.mjs\n  cwd: ..\n",
    "qa/tax.ts": "export const tax = 1;\n",
    "qa/price.ts": "export const price = 1;\n",
    "qa/journeys/pay.ts": "",
    "qa/other/c.explore.ts": "",
    "qa/a.explore.ts": 'import { price } from "./price.ts";\nimport { tax } from "./tax.ts";\n',
    "qa/b.explore.ts": "",
    "package.json":
      '{ "scripts": { "start": "node server.mjs", "built": "node server.mjs", "prebuilt": "tsc" }, "dependencies": { "seqqa": "file:../seqqa.tgz" } }',
  };

  function own(files: Readonly<Record<string, string>> = {}): {
    readonly keys: () => Promise<Keys>;
    readonly changed: (name: string) => Promise<readonly string[]>;
  } {
    const { folder, write } = written({ ...OWN, ...files });
    const directory = join(folder, "qa");
    const explorations = ["a.explore.ts", "b.explore.ts"].map((name) => join(directory, name));
    const keys = async (): Promise<Keys> => {
      const config = loadConfig({ directory, cwd: folder, env: {} });
      const target = { kind: "explorations", config, directory, files: explorations, stored: undefined, options: {} } as const;
      return keysOf(
        target,
        {},
        codeHashes(explorations),
        await targetFiles(config, (entry) => Promise.resolve(entry.includes("broken") ? undefined : importedFiles(entry))),
      );
    };
    const changed = async (name: string): Promise<readonly string[]> => {
      const before = (await keys()).keys;
      write(name, "// changed");
      const now = (await keys()).keys;
      return explorations
        .filter((file) => before.get(file) === undefined || now.get(file) !== before.get(file))
        .map((file) => basename(file));
    };
    return { keys, changed };
  }
  const both = ["a.explore.ts", "b.explore.ts"];

  it.each([
    ["an exploration", "qa/b.explore.ts", ["b.explore.ts"]],
    ["a module of one exploration", "qa/price.ts", ["a.explore.ts"]],
    ["an exploration that is not run", "qa/other/c.explore.ts", []],
    ["a journey", "qa/journeys/pay.ts", []],
    ["a module that the target imports, too", "qa/tax.ts", both],
    ["a module that nothing imports", "qa/unused.ts", both],
    ["a source of the target", "server.mjs", both],
  ])("a change of %s repeats only what may depend on it", async (_what, name, expected) => {
    const { keys, changed } = own();
    expect((await keys()).note).toBeUndefined();
    expect(await changed(name)).toEqual(expected);
  });

  it.each([
    ["npm start", undefined],
    ["npm run built", 'seqqa cannot see which modules the command "npm run built" runs'],
    ["npx next dev", 'seqqa cannot see which modules the command "npx next dev" runs'],
    ["tsc && node server.mjs", 'seqqa cannot see which modules the command "tsc && node server.mjs" runs'],
    ["node server", 'seqqa cannot see which modules the command "node server" runs'],
    ["node broken.mjs", "seqqa cannot read all modules that broken.mjs imports"],
    ["PORT=1 tsx watch computed.ts", "computed.ts of the target may load modules whose names are computed"],
    ["node thread.mjs", "thread.mjs of the target may load modules whose names are computed"],
    ["node literal.cjs", undefined],
  ])("the modules that the target imports: %s", async (command, why) => {
    const { keys, changed } = own({
      "qa/seqqa.yaml": `target:\n  command: ${command}\n  cwd: ..\n`,
      "broken.mjs": "",
      "computed.ts": "for (const name of names) await import(`./${name}`);",
      "thread.mjs": 'new Worker("./w.js")',
      "literal.cjs": 'require("./a.js"); import("./b.js", {}); app.import(x); require.resolve(y);',
    });
    expect((await keys()).note).toBe(
      why === undefined ? undefined : `note: A change of the code of one exploration repeats all explorations, because ${why}.`,
    );
    expect(await changed("qa/price.ts")).toEqual(why === undefined ? ["a.explore.ts"] : both);
  });

  it("each change repeats all explorations, for a reason that is named, if the target may have sources elsewhere", async () => {
    const { keys } = own({ "lib/rates.js": 'import "../../shared/x.js";' });
    expect(await keys()).toEqual({
      keys: new Map(),
      note: "note: Each change repeats all explorations, because lib/rates.js names files outside the folder of the target.",
    });
  });
});
