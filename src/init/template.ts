import { readFileSync } from "node:fs";
import { packageRoot } from "../model/code-root.ts";

/** The folder with the templates in the package, whether the code runs from `src` or from `dist`. */
const folder = new URL("fixtures/init/", packageRoot);

/** The files of a new folder, in reading order. npm does not pack `.gitignore`, so the package contains it as `gitignore`. */
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
  "AGENTS.md",
  "gitignore",
] as const;

export interface TemplateFile {
  /** The path in the new folder, with `/` on all platforms. */
  readonly path: string;
  readonly text: string;
}

export function templateFiles(): readonly TemplateFile[] {
  return FILES.map((name) => ({ path: name === "gitignore" ? ".gitignore" : name, text: readFileSync(new URL(name, folder), "utf8") }));
}
