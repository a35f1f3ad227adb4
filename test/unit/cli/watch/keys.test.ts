import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { keysOf, sameKeys } from "../../../../src/cli/watch/keys.ts";
import { loadConfig } from "../../../../src/config/index.ts";
import { codeHashes } from "../harness.ts";

const FILES = {
  "seqqa.yaml": "target:\n  command: node server.js\n  cwd: api\n",
  "api/server.js": "",
  "a.explore.ts": 'import { price } from "./price.ts";\nexport const agent = { price };\n',
  "b.explore.ts": "export const agent = {};\n",
  "price.ts": "export const price = 1;\n",
  "payments.yaml": "openapi: 3.1.0\n",
};

/** A project, and what its keys are now. */
function project(files: Readonly<Record<string, string>> = {}): {
  readonly write: (name: string, text: string) => void;
  readonly keys: () => ReadonlyMap<string, string>;
  readonly of: (keys: ReadonlyMap<string, string>, name: string) => string | undefined;
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "seqqa-keys-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries({ ...FILES, ...files })) write(name, text);
  const explorations = ["a.explore.ts", "b.explore.ts"].map((name) => join(folder, name));
  const keys = (): ReadonlyMap<string, string> => {
    const config = loadConfig({ directory: folder, cwd: folder, env: {} });
    const target = { kind: "explorations", config, directory: folder, files: explorations, stored: undefined, options: {} } as const;
    return keysOf(target, {}, codeHashes(explorations));
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
