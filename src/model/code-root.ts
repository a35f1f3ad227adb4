/**
 * The folder of the code that runs, with a `/` at its end: `src/` or, built, `dist/`. The build puts modules together in files of its own, all of
 * which lie one folder below `dist`, as this one lies below `src`; so a file of the package is found from here, never from a module's own place.
 */
export const codeRoot: URL = new URL("../", import.meta.url);

/** The folder of the package, with a `/` at its end. */
export const packageRoot: URL = new URL("../", codeRoot);

/** Whether the sources run, by a test runner that transforms TypeScript, and not what is built from them. */
export const runsFromSource: boolean = import.meta.url.endsWith(".ts");
