import { fileURLToPath } from "node:url";
import { codeRoot } from "../../model/code-root.ts";

/**
 * Returns the environment variables that make a Node process write the coverage of its code to a folder, both when it exits and when SIGTERM ends it.
 * Other programs ignore them.
 * @param options The NODE_OPTIONS that the user set. They are kept.
 */
export function coverageEnvironment(folder: string, options: string | undefined): Readonly<Record<string, string>> {
  const preload = fileURLToPath(new URL("targets/process/write-coverage.cjs", codeRoot));
  // In a quoted value of NODE_OPTIONS, `"` and `\` must be escaped with a backslash.
  const required = `--require "${preload.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return { NODE_V8_COVERAGE: folder, NODE_OPTIONS: options === undefined || options.trim() === "" ? required : `${options} ${required}` };
}
