/** Settings for HTTP connections. They are plain data, so that they can be sent to every thread. */
export interface ConnectionSettings {
  /** Certificates in PEM format that are trusted in addition to Node's own. */
  readonly ca: readonly string[];
  /** `environment` uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy: "none" | "environment";
}

const BUILT_IN: ConnectionSettings = Object.freeze({ ca: Object.freeze([]), proxy: "none" });

let current = BUILT_IN;
/** The settings of the last call of `setConnectionDefaults`, which identify the caller. */
let owner = BUILT_IN;

/**
 * Sets the connection settings of the configuration (`tls.ca_file`, `proxy`), for lanes. Connections read them when they are opened, because a user's
 * module may have constructed its clients earlier. Equal settings keep the same object.
 */
export function setConnectionDefaults(settings: ConnectionSettings = BUILT_IN): void {
  const same = settings.proxy === current.proxy && settings.ca.join("\n") === current.ca.join("\n");
  if (!same) current = settings;
  owner = settings;
}

/** Resets the settings of a run that has ended, unless another run has set its own. Later requests of the process must not use them. */
export function endConnectionDefaults(settings: ConnectionSettings): void {
  if (settings === owner) setConnectionDefaults();
}

export function connectionDefaults(): ConnectionSettings {
  return current;
}
