/** The part of the configuration that says what a run needs beside its targets. Plain data; the `Config` of `src/config` fits. */
export interface ServicesConfig {
  readonly services: readonly ServiceConfig[];
  /** Absolute. */
  readonly composeFile: string | undefined;
  /** Certificates that are trusted beside Node's own. */
  readonly tls?: { readonly ca: readonly string[] } | undefined;
  /** What relative paths resolve against. */
  readonly folder: string;
  readonly report: { readonly outputDir: string };
}

/** A process that is started once per run, before the targets. */
export interface ServiceConfig {
  readonly name: string;
  /** A shell command line. Its environment is seqqa's own and `env`. */
  readonly command: string;
  /** URL, or path where `env` has a PORT, that is polled until any HTTP answer comes. `undefined`: started is ready. */
  readonly ready: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Seconds. */
  readonly readyTimeout: number;
}
