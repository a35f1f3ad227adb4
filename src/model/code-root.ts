/**
 * The folder of the code that runs, with a `/` at its end: `src/` or, built, `dist/`. The build joins modules into files of its own, so a module
 * cannot find other files of the package by its own place. The module finds them from here: the built file with this code lies one folder below
 * `dist`, as this file lies one below `src`. The build checks that.
 */
export const codeRoot: URL = new URL("../", import.meta.url);

/** The folder of the package, with a `/` at its end. */
export const packageRoot: URL = new URL("../", codeRoot);

/** `true` when the TypeScript files of `src` are executed, which only a test runner does; `false` in the built package. */
export const runsFromSource: boolean = import.meta.url.endsWith(".ts");
