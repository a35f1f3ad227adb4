import type { Plugin } from "esbuild";

/** The functions that declare tests, by test runner. In a bundle, these functions do nothing. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  vitest: [
    "describe",
    "it",
    "test",
    "suite",
    "bench",
    "beforeAll",
    "afterAll",
    "beforeEach",
    "afterEach",
    "aroundAll",
    "aroundEach",
    "onTestFailed",
    "onTestFinished",
  ],
  "node:test": ["describe", "it", "test", "suite", "before", "after", "beforeEach", "afterEach"],
  "@jest/globals": [
    "describe",
    "fdescribe",
    "xdescribe",
    "it",
    "fit",
    "xit",
    "test",
    "xtest",
    "beforeAll",
    "afterAll",
    "beforeEach",
    "afterEach",
  ],
  mocha: [
    "describe",
    "xdescribe",
    "context",
    "xcontext",
    "it",
    "xit",
    "specify",
    "xspecify",
    "suite",
    "test",
    "before",
    "after",
    "beforeEach",
    "afterEach",
    "setup",
    "teardown",
    "suiteSetup",
    "suiteTeardown",
  ],
  "@playwright/test": ["test", "mergeTests"],
};

/**
 * Functions of test runners that work only inside a test. In a bundle, each of these functions throws an error that explains this. For a runner that
 * has no row here, a bundle imports all exports that are not in `RUNNERS` from the runner itself.
 */
const INSIDE_TESTS: Readonly<Record<string, readonly string[]>> = {
  vitest: [
    "expect",
    "expectTypeOf",
    "assert",
    "assertType",
    "chai",
    "createExpect",
    "inject",
    "recordArtifact",
    "should",
    "vi",
    "vitest",
    "BenchmarkRunner",
    "EvaluatedModules",
    "Snapshots",
    "TestRunner",
  ],
  "node:test": ["mock", "run", "snapshot", "assert"],
  "@jest/globals": ["expect", "jest"],
  mocha: ["run"],
};

const STUB = "seqqa-test-runner";

/**
 * Returns an esbuild plugin that replaces test runners by stubs. A test file may contain the agent that it explores, so lanes import the test file.
 * Lanes must not run the tests of this file, and the modules of a test runner cannot be loaded outside the runner.
 */
export function testRunners(): Plugin {
  return {
    name: "seqqa-test-runners",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(?:${Object.keys(RUNNERS).join("|")})$`) }, ({ path, namespace, resolveDir }) =>
        namespace === STUB ? undefined : { path, namespace: STUB, pluginData: resolveDir },
      );
      build.onLoad({ filter: /.*/, namespace: STUB }, ({ path, pluginData }) => ({
        contents: stub(path),
        loader: "js",
        resolveDir: pluginData as string,
      }));
    },
  };
}

/** Replaces the global functions of test runners, such as `it`, in code that uses them without an import. */
export const testGlobals: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set(Object.values(RUNNERS).flat())].map((name) => [name, "__seqqa_no_test"]),
);

/**
 * The code at the top of every bundle. It declares a function that does nothing. Members such as `it.skip` and `test.each([])` are the same function.
 */
export const NO_TEST =
  "const __seqqa_no_test = new Proxy(function () {}, { get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : __seqqa_no_test), apply: () => __seqqa_no_test });";

/** Returns the code that replaces a test runner. */
function stub(runner: string): string {
  const unusable = INSIDE_TESTS[runner];
  return unusable === undefined ? partialStub(runner) : wholeStub(runner, unusable);
}

function partialStub(runner: string): string {
  const declared = RUNNERS[runner]!.map((name) => `export const ${name} = __seqqa_no_test;`);
  return [`export * from ${JSON.stringify(runner)};`, ...declared, "export default __seqqa_no_test;"].join("\n");
}

/** Returns the stub of a test runner as a CommonJS module. A name without a stub is then `undefined` instead of an import error. */
function wholeStub(runner: string, insideTests: readonly string[]): string {
  const message = `%s of ${runner} works only inside a test, but seqqa runs this code outside of tests (in a lane). Throw an Error instead, or check the result of explore() in the test.`;
  return [
    `const unusable = (name) => { const refuse = () => { throw new Error(${JSON.stringify(message)}.replace("%s", name)); };`,
    `  return new Proxy(function () {}, { get: refuse, apply: refuse, construct: refuse }); };`,
    `const members = { __esModule: true, default: __seqqa_no_test };`,
    ...RUNNERS[runner]!.map((name) => `members.${name} = __seqqa_no_test;`),
    ...insideTests.map((name) => `members.${name} = unusable(${JSON.stringify(name)});`),
    // Imports from a .mjs file get this whole object as the default export. The object must therefore be callable and have the members of `test`.
    `module.exports = new Proxy(Object.assign(function () {}, members), { get: (all, key) => (Object.hasOwn(members, key) ? all[key] : __seqqa_no_test[key]) });`,
  ].join("\n");
}
