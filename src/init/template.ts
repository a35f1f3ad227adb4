import { readFileSync } from "node:fs";
import { packageRoot } from "../model/code-root.ts";

/** Where the files of a new folder lie in the package. The same from `src` and from `dist`. */
const folder = new URL("fixtures/init/", packageRoot);

/** What a new folder consists of, in its order of reading. npm packs no `.gitignore`, so it lies there without its dot. */
const FILES = [
  "README.md",
  "seqqa.yaml",
  "server.mjs",
  "shop.explore.ts",
  "actions/orders.ts",
  "actions/session.ts",
  "actions/shop.ts",
  "invariants/orders.ts",
  "journeys/checkout.ts",
  "journeys/login.ts",
  "tsconfig.json",
  "gitignore",
] as const;

export interface TemplateFile {
  /** Where it goes, with `/`. */
  readonly path: string;
  readonly text: string;
}

export function templateFiles(): readonly TemplateFile[] {
  return FILES.map((name) => ({ path: name === "gitignore" ? ".gitignore" : name, text: readFileSync(new URL(name, folder), "utf8") }));
}
