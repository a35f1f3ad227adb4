import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { SERVERS_VARIABLE } from "./services.ts";

/** The path of an adapter's bundle, which processes of Node can load. All test files of a run share it. */
export async function bundleOf(adapter: string): Promise<string> {
  const response = await fetch(`${process.env[SERVERS_VARIABLE]}/bundle/${adapter}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** The bundles of a test run. Each is built when a test first asks for it. */
export class Bundles {
  readonly #built = new Map<string, Promise<string>>();
  #folder: string | undefined;

  of(adapter: string): Promise<string> {
    const known = this.#built.get(adapter) ?? this.#build(adapter);
    this.#built.set(adapter, known);
    return known;
  }

  async #build(adapter: string): Promise<string> {
    this.#folder ??= mkdtempSync(join(tmpdir(), "seqqa-bundles-"));
    const outfile = join(this.#folder, `${adapter}.cjs`);
    await build({
      entryPoints: [fileURLToPath(new URL(`../../src/adapters/${adapter}/index.ts`, import.meta.url))],
      bundle: true,
      platform: "node",
      format: "cjs",
      outfile,
      logLevel: "error",
      external: ["pg-native", "cloudflare:sockets"],
    });
    return outfile;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
