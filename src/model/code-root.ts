/**
 * The folder of the running code, with a trailing `/`: `src/`, or `dist/` in the built package. Other files of the package are found from here. The
 * bundler merges modules into other files, so a module's own path is no reliable base. The bundled file with this code lies one folder below `dist`,
 * as this file lies one folder below `src`. The build checks that.
 */
export const codeRoot: URL = new URL("../", import.meta.url);

/** The folder of the package, with a trailing `/`. */
export const packageRoot: URL = new URL("../", codeRoot);

/** `true` if the TypeScript files in `src` are executed, which only a test runner does; `false` in the built package. */
export const runsFromSource: boolean = import.meta.url.endsWith(".ts");
