import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { writeScaffold, type WriteInput, type Written } from "../../../../src/scaffold/write/index.ts";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-scaffold-"));
  folders.push(folder);
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
