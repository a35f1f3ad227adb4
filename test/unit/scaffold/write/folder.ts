import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeScaffold, type WriteInput, type Written } from "../../../../src/scaffold/write/index.ts";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { atEnd } from "../../../support/at-end.ts";

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-scaffold-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "qa");
}

/** Writes a plan; next to the folder lies the description. */
export function scaffold(plan: ScaffoldPlan, directory: string, more: Partial<WriteInput> = {}): Written {
  return writeScaffold({
    plan,
    directory,
    shown: "qa",
    description: { kind: "file", url: "../openapi.yaml", allowRefs: false },
    version: "0.6.4",
    force: false,
    ...more,
  });
}

export function textOf(directory: string, path: string): string {
  return readFileSync(join(directory, path), "utf8");
}
