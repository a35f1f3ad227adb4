/** Settings for connections over HTTP. Plain data, so that every thread can receive them. */
export interface ConnectionSettings {
  /** Certificates in PEM, trusted beside those that Node trusts. */
  readonly ca: readonly string[];
  /** `environment`: HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply. */
  readonly proxy: "none" | "environment";
}

const BUILT_IN: ConnectionSettings = Object.freeze({ ca: Object.freeze([]), proxy: "none" });

let current = BUILT_IN;
/** The settings of the last caller. */
let owner = BUILT_IN;

/**
 * For lanes: sets the configuration's values (`tls.ca_file`, `proxy`). Connections look them up when they are made, because a user's module may have
 * constructed its clients before. Equal settings keep the same object.
 */
export function setConnectionDefaults(settings: ConnectionSettings = BUILT_IN): void {
  const same = settings.proxy === current.proxy && settings.ca.join("\n") === current.ca.join("\n");
  if (!same) current = settings;
  owner = settings;
}

/** Resets the settings of a run, unless another run has set its own meanwhile: later requests of the process must not use them. */
export function endConnectionDefaults(settings: ConnectionSettings): void {
  if (settings === owner) setConnectionDefaults();
}

export function connectionDefaults(): ConnectionSettings {
  return current;
}
