import { fileURLToPath } from "node:url";
import { codeRoot } from "../../model/code-root.ts";

/**
 * Returns the environment variables with which a Node process writes the coverage of its code to a folder, both when the process exits and when
 * SIGTERM ends it. Other programs ignore these variables.
 * @param options The NODE_OPTIONS that the user set. The result keeps these options.
 */
export function coverageEnvironment(folder: string, options: string | undefined): Readonly<Record<string, string>> {
  const preload = fileURLToPath(new URL("targets/process/write-coverage.cjs", codeRoot));
  // In a quoted value of NODE_OPTIONS, `"` and `\` must be escaped with a backslash.
  const required = `--require "${preload.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return { NODE_V8_COVERAGE: folder, NODE_OPTIONS: options === undefined || options.trim() === "" ? required : `${options} ${required}` };
}
