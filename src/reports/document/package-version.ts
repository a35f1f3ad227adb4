import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";

/** Returns the version of the package, the same from `src` and from `dist`. */
export function packageVersion(): string {
  const text = readFileSync(new URL("package.json", packageRoot), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
