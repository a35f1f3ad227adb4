import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bundle, load } from "../../../src/loader/index.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-runners-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function loaded(name: string, text: string): Promise<Record<string, unknown>> {
  writeFileSync(join(folder, name), text);
  return load(await bundle(join(folder, name), { outDir: join(folder, "out") }));
}

/** Would fail where tests may not be declared, as here, inside of a test. */
const DECLARES = `
export const ran = [];
describe("a", () => { ran.push("describe"); it("b", () => ran.push("it")); });
describe.skip.each([1, 2])("%s", () => ran.push("each"));
test.only("c", { timeout: 1 }, () => ran.push("test"));
`;

describe("a test file that is bundled for a lane", () => {
  it.each([
    ["vitest", `import { describe, it, test, beforeAll } from "vitest"; beforeAll(() => {});`],
    ["vitest, whole", `import * as v from "vitest"; const { describe, it, test } = v;`],
    ["node:test", `import test, { describe, it, before } from "node:test"; before(() => {});`],
    ["node:test, whole", `import * as t from "node:test"; const { describe, it, test } = t;`],
    ["@jest/globals", `import { describe, it, test, beforeAll } from "@jest/globals"; beforeAll(() => {});`],
    ["mocha", `import { describe, it, before } from "mocha"; before(() => {}); const test = it;`],
    ["mocha, by require", `const { describe, it, test } = require("mocha");`],
    ["global functions", `beforeEach(() => {});`],
    ["global functions of Mocha", `specify("x", () => ran.push("specify")); context("y", () => ran.push("context"));`],
  ])("declares no tests of %s", async (name, imports) => {
    expect((await loaded(`${name.replaceAll(/\W/g, "-")}.mjs`, imports + DECLARES))["ran"]).toEqual([]);
  });

  it.each([
    ["vitest", "expect", `expect(1).toBe(1)`],
    ["vitest", "vi", `vi.fn()`],
    ["node:test", "mock", `mock.fn()`],
    ["@jest/globals", "jest", `jest.fn()`],
  ])("says so where an action uses what works in tests of %s only: %s", async (runner, name, use) => {
    const { act } = await loaded(
      `${runner.replaceAll(/\W/g, "-")}-${name}.ts`,
      `import { ${name} } from "${runner}"; export const act = () => ${use};`,
    );
    expect(act).toThrow(
      `${name} of ${runner} works only inside a test, but seqqa runs this code outside of tests (in a lane). Throw an Error instead`,
    );
  });

  it("declares no tests of @playwright/test, whose other exports stay usable", async () => {
    mkdirSync(join(folder, "node_modules/@playwright/test"), { recursive: true });
    writeFileSync(
      join(folder, "node_modules/@playwright/test/index.js"),
      `const test = () => { throw new Error("Playwright Test did not expect test() to be called here."); };
module.exports = { test, default: test, expect: (value) => ({ toBe: (other) => value === other }) };`,
    );
    const text = `import { expect, mergeTests, test } from "@playwright/test"; import byDefault, * as all from "@playwright/test";
export const ran = [];
test("a", async () => ran.push("test"));
test.describe("b", () => ran.push("describe"));
mergeTests(test.extend({}), test)("c", () => ran.push("extended"));
byDefault("d", () => ran.push("default"));
all.test("e", () => ran.push("namespace"));
export const act = () => expect(1).toBe(1);`;
    const { ran, act } = await loaded("playwright.ts", text);
    expect(ran).toEqual([]);
    expect((act as () => boolean)()).toBe(true);
  });

  it("leaves names that the file itself declares as they are", async () => {
    const module = await loaded("own.ts", `const test = (n: number) => n + 1; function it() { return test(1); } export const two = it();`);
    expect(module["two"]).toBe(2);
  });
});
