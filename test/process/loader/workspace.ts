import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEveryTest } from "../../support/at-end.ts";
import { bundle, load, type Bundle } from "../../../src/loader/index.ts";

const folders: string[] = [];

afterEveryTest(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A user's folder with files in it, removed after the test. */
export function workspace(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "seqqa-loader-")));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Bundles `a.explore.ts` (or what is named) of such a folder, to somewhere else. */
export async function bundled(files: Readonly<Record<string, string>>, entry: string = "a.explore.ts"): Promise<Bundle> {
  return bundle(join(workspace(files), entry), { outDir: join(workspace({}), "out") });
}

export async function loaded(files: Readonly<Record<string, string>>, entry?: string): Promise<Record<string, unknown>> {
  return load(await bundled(files, entry));
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code: string; message: string; hint: string; exitStatus: number }> {
  const value: unknown = await promise.then(
    () => {
      throw new Error("it did not reject");
    },
    (error: unknown) => error,
  );
  return value as { code: string; message: string; hint: string; exitStatus: number };
}
