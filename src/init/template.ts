import { readFileSync } from "node:fs";
import { packageRoot } from "../model/code-root.ts";

/** The folder in the package seqqa that contains the template files. */
const folder = new URL("fixtures/init/", packageRoot);

/**
 * The files that `seqqa init` writes, in the order in which a user should read them. npm does not pack `.gitignore`, so the template of this file is
 * named `gitignore`.
 */
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
  /** The path of the file in the new folder, with `/` on all platforms. */
  readonly path: string;
  readonly text: string;
}

export function templateFiles(): readonly TemplateFile[] {
  return FILES.map((name) => ({ path: name === "gitignore" ? ".gitignore" : name, text: readFileSync(new URL(name, folder), "utf8") }));
}
