import { readFileSync } from "node:fs";
import { packageRoot } from "../model/code-root.ts";

/** The place of a new folder's files in the package. The same from `src` and from `dist`. */
const folder = new URL("fixtures/init/", packageRoot);

/** The files of a new folder, in reading order. npm packs no `.gitignore`, so the package has it without its dot. */
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
  /** The path in the new folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

export function templateFiles(): readonly TemplateFile[] {
  return FILES.map((name) => ({ path: name === "gitignore" ? ".gitignore" : name, text: readFileSync(new URL(name, folder), "utf8") }));
}
