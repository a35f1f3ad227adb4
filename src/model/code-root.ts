/**
 * The folder of the running code, with a trailing `/`: `src/`, or `dist/` in the built package. Other modules use this URL to find files of the
 * package. Their own URLs do not help, because the bundler moves their code into other files. The bundled file with the code of this module must be
 * one folder below `dist`, as this file is one folder below `src`. The build checks this position.
 */
export const codeRoot: URL = new URL("../", import.meta.url);

/** The folder of the package, with a trailing `/`. */
export const packageRoot: URL = new URL("../", codeRoot);

/** `true` if the TypeScript files in `src` are executed, which only a test runner does; `false` in the built package. */
export const runsFromSource: boolean = import.meta.url.endsWith(".ts");
