import type { ServiceConfig } from "../../config/index.ts";

/** The part of the configuration that lists what a run needs beside its targets. Plain data; the `Config` of `src/config` fits. */
export interface ServicesConfig {
  readonly services: readonly ServiceConfig[];
  /** An absolute path. */
  readonly composeFile: string | undefined;
  /** Certificates that are trusted beside Node's own. */
  readonly tls?: { readonly ca: readonly string[] } | undefined;
  /** The base folder of relative paths. */
  readonly folder: string;
  readonly report: { readonly outputDir: string };
}
