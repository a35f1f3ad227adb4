import type { Plugin } from "esbuild";

/** What declares tests, by the runner that it is imported from. In a lane none of it does anything. */
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

/** What of a runner works inside of a test only. In a lane, using it is an error that says so. */
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
 * A test file may hold what it explores: `agent.explore({ module: import.meta.url })`. Lanes then import that file, for its agent. Its tests are not
 * theirs to run, and a runner's own modules do not even load outside of it.
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

/** The same for runners whose functions are global: names that nothing in the bundle declares. */
export const testGlobals: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set(Object.values(RUNNERS).flat())].map((name) => [name, "__seqqa_no_test"]),
);

/** Declared at the top of every bundle: a function that does nothing, whose members (`it.skip`, `test.each([])`) are itself. */
export const NO_TEST =
  "const __seqqa_no_test = new Proxy(function () {}, { get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : __seqqa_no_test), apply: () => __seqqa_no_test });";

/** CommonJS, so that a name which is not listed here is `undefined`, and not an error of the whole file. */
function stub(runner: string): string {
  const message = `%s of ${runner} was used in a lane, where no test runs: throw an Error instead, or look at the result of explore() in the test.`;
  return [
    `const unusable = (name) => { const refuse = () => { throw new Error(${JSON.stringify(message)}.replace("%s", name)); };`,
    `  return new Proxy(function () {}, { get: refuse, apply: refuse, construct: refuse }); };`,
    `const members = { __esModule: true, default: __seqqa_no_test };`,
    ...RUNNERS[runner]!.map((name) => `members.${name} = __seqqa_no_test;`),
    ...INSIDE_TESTS[runner]!.map((name) => `members.${name} = unusable(${JSON.stringify(name)});`),
    // To a .mjs file all of it is the default, so it can be called and has the members of `test`, too.
    `module.exports = new Proxy(Object.assign(function () {}, members), { get: (all, key) => (Object.hasOwn(members, key) ? all[key] : __seqqa_no_test[key]) });`,
  ].join("\n");
}
