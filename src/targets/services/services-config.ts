import type { ServiceConfig } from "../../config/index.ts";

/** The part of the configuration that describes services and containers. This object is plain data, and a subset of `Config` in `src/config`. */
export interface ServicesConfig {
  readonly services: readonly ServiceConfig[];
  /** The absolute path of the configured `compose_file`. */
  readonly composeFile: string | undefined;
  /** Certificates that are trusted in addition to Node's own. */
  readonly tls?: { readonly ca: readonly string[] } | undefined;
  /** Relative paths in the configuration are relative to this folder. */
  readonly folder: string;
  readonly report: { readonly outputDir: string };
}
