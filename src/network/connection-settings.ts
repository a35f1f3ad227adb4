/** Settings for HTTP connections, as plain data that can be sent to worker threads. */
export interface ConnectionSettings {
  /** Certificates in PEM format that are trusted in addition to Node's own. */
  readonly ca: readonly string[];
  /** `environment`: use the proxies in HTTP_PROXY and HTTPS_PROXY, except for the hosts in NO_PROXY. */
  readonly proxy: "none" | "environment";
}

const BUILT_IN: ConnectionSettings = Object.freeze({ ca: Object.freeze([]), proxy: "none" });

let current = BUILT_IN;
/** The settings of the command, which apply outside of runs. */
let base = BUILT_IN;
/**
 * The settings that the last call of `setConnectionDefaults` passed. {@link endConnectionDefaults} compares them to find out which run has set the
 * current settings.
 */
let owner = BUILT_IN;

/**
 * Sets the connection settings of the configuration (`tls.ca_file`, `proxy`). Clients read the settings only when they open a connection, because a
 * user's module may have constructed clients before this call. If the new settings equal the current settings, the current object is kept.
 */
export function setConnectionDefaults(settings: ConnectionSettings = base): void {
  const same = settings.proxy === current.proxy && settings.ca.join("\n") === current.ca.join("\n");
  if (!same) current = settings;
  owner = settings;
}

/** Sets the connection settings of a command. They apply before, between and after the runs of the command, too. */
export function setCommandConnections(settings: ConnectionSettings): void {
  base = settings;
  setConnectionDefaults();
}

/**
 * Removes the settings of a run that has ended, unless another run has set its own settings since then. Later requests of this process then use the
 * settings of the command, or the built-in settings.
 */
export function endConnectionDefaults(settings: ConnectionSettings): void {
  if (settings === owner) setConnectionDefaults();
}

export function connectionDefaults(): ConnectionSettings {
  return current;
}
