import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";

/** Returns the version of seqqa. The code may run from `src` or from `dist`. */
export function packageVersion(): string {
  const text = readFileSync(new URL("package.json", packageRoot), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
