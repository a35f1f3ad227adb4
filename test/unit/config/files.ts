import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, type Config, type LoadOptions } from "../../../src/config/index.ts";
import { SeqqaError } from "../../../src/model/errors.ts";

/** Loads a configuration that is written to a folder of its own, with an environment that is empty unless given. */
export function load(yaml: string, options: Omit<LoadOptions, "file" | "directory" | "cwd"> = {}): Config {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-config-"));
  try {
    writeFileSync(join(folder, "seqqa.yaml"), yaml);
    return loadConfig({ env: {}, ...options, directory: folder, cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The error that loading ends with. */
export function failure(yaml: string, options: Parameters<typeof load>[1] = {}): SeqqaError {
  return caught(() => load(yaml, options));
}

export function caught(act: () => unknown): SeqqaError {
  try {
    act();
  } catch (error) {
    if (error instanceof SeqqaError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
