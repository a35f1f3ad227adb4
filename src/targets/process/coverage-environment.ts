import { fileURLToPath } from "node:url";
import { codeRoot } from "../../model/code-root.ts";

/**
 * Returns the environment variables by which a Node process writes the coverage of its code to a folder: when it exits, and when SIGTERM ends it.
 * Other programs ignore them.
 * @param options The NODE_OPTIONS that the user set; they stay.
 */
export function coverageEnvironment(folder: string, options: string | undefined): Readonly<Record<string, string>> {
  const preload = fileURLToPath(new URL("targets/process/write-coverage.cjs", codeRoot));
  // NODE_OPTIONS takes `"` and `\` in a quoted value only with a backslash.
  const required = `--require "${preload.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return { NODE_V8_COVERAGE: folder, NODE_OPTIONS: options === undefined || options.trim() === "" ? required : `${options} ${required}` };
}
