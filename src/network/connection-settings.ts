/** How connections over HTTP are made. Plain data, so that it reaches every thread. */
export interface ConnectionSettings {
  /** Certificates in PEM, trusted beside those that Node trusts. */
  readonly ca: readonly string[];
  /** `environment`: HTTP_PROXY, HTTPS_PROXY and NO_PROXY hold. */
  readonly proxy: "none" | "environment";
}

const BUILT_IN: ConnectionSettings = Object.freeze({ ca: Object.freeze([]), proxy: "none" });

let current = BUILT_IN;
/** Who set it last. */
let owner = BUILT_IN;

/**
 * For lanes: what the configuration says (`tls.ca_file`, `proxy`). Connections look it up when they are made, since a user's module may
 * have constructed its clients before. The same object is kept for as long as it says the same.
 */
export function setConnectionDefaults(settings: ConnectionSettings = BUILT_IN): void {
  const same = settings.proxy === current.proxy && settings.ca.join("\n") === current.ca.join("\n");
  if (!same) current = settings;
  owner = settings;
}

/** Takes back what a run set, unless another one did meanwhile: what the process sends later is its own business. */
export function endConnectionDefaults(settings: ConnectionSettings): void {
  if (settings === owner) setConnectionDefaults();
}

export function connectionDefaults(): ConnectionSettings {
  return current;
}
