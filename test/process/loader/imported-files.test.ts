import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { importedFiles } from "../../../src/loader/index.ts";

const FILES = {
  "app.mjs": 'import express from "express";\nimport { tax } from "./tax.ts";\nawait import("./late.js");\n',
  "tax.ts": 'export { tax } from "#rates";\n',
  "late.js": "",
  "old.cjs": 'const { tax } = require("./rates.cjs");\nmodule.exports = { tax };\n',
  "rates.cjs": "exports.tax = 1;\n",
  "broken.mjs": "const app == express();\n",
  "missing.mjs": 'import "./gone.js";\n',
  "package.json": '{ "imports": { "#rates": "./lib/rates.js" } }',
  "lib/rates.js": "export const tax = 1;\n",
  "node_modules/express/package.json": '{ "name": "express", "main": "index.js" }',
  "node_modules/express/index.js": "",
};

it.each<readonly [string, readonly string[] | undefined]>([
  ["app.mjs", ["app.mjs", "late.js", "rates.js", "tax.ts"]],
  ["old.cjs", ["old.cjs", "rates.cjs"]],
  ["broken.mjs", undefined],
  ["missing.mjs", undefined],
])("the modules that a target imports, without packages: %s", async (entry, expected) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "seqqa-imported-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  expect((await importedFiles(join(folder, entry)))?.map((file) => basename(file)).toSorted()).toEqual(expected);
});
