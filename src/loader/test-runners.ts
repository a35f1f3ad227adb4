import type { Plugin } from "esbuild";

/** The functions that declare tests, by test runner. In a bundle they do nothing. */
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
};

/** Functions of test runners that work only inside a test. In a bundle they throw an error that says so. */
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
};

const STUB = "seqqa-test-runner";

/**
 * Returns an esbuild plugin that replaces test runners by stubs. A test file may contain the agent that it explores, so lanes import the test file.
 * They must not run its tests, and the modules of a test runner cannot be loaded outside the runner.
 */
export function testRunners(): Plugin {
  return {
    name: "seqqa-test-runners",
    setup(build) {
      build.onResolve({ filter: /^(?:vitest|node:test)$/ }, ({ path }) => ({ path, namespace: STUB }));
      build.onLoad({ filter: /.*/, namespace: STUB }, ({ path }) => ({ contents: stub(path), loader: "js" }));
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

/** Returns the code that replaces a test runner. It is CommonJS, so that a name without a stub is `undefined` instead of an import error. */
function stub(runner: string): string {
  const message = `%s of ${runner} cannot be used in a lane, where no test runs: throw an Error instead, or check the result of explore() in the test.`;
  return [
    `const unusable = (name) => { const refuse = () => { throw new Error(${JSON.stringify(message)}.replace("%s", name)); };`,
    `  return new Proxy(function () {}, { get: refuse, apply: refuse, construct: refuse }); };`,
    `const members = { __esModule: true, default: __seqqa_no_test };`,
    ...RUNNERS[runner]!.map((name) => `members.${name} = __seqqa_no_test;`),
    ...INSIDE_TESTS[runner]!.map((name) => `members.${name} = unusable(${JSON.stringify(name)});`),
    // Imports from a .mjs file get this whole object as the default export. The object must therefore be callable and have the members of `test`.
    `module.exports = new Proxy(Object.assign(function () {}, members), { get: (all, key) => (Object.hasOwn(members, key) ? all[key] : __seqqa_no_test[key]) });`,
  ].join("\n");
}
