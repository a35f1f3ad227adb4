import { randomBytes, scryptSync } from "node:crypto";
import type { Config } from "../../config/index.ts";

/** A configured environment variable with the hash of its value. A later run can compare its own value with the hash, but cannot read the value. */
export interface EnvironmentRow {
  /** The configuration key, e.g. `target.env.TOKEN`, `services.mailer.env.TOKEN` or `target.warm_up.0`. */
  readonly key: string;
  /** A random salt (hex) for this value, so that equal values have different hashes. */
  readonly salt: string;
  /** The hash of the value in hexadecimal. A value that is a placeholder such as `{port}` is stored unchanged. */
  readonly hash: string;
}

/**
 * The scrypt cost parameter N. Values may be short and run logs are shared as CI artifacts, so each attempt to guess a value must take about 10 ms.
 */
const COST = 4096;
const BYTES = 16;

/** Returns the configured environment variables with hashed values. */
export function environmentRows(config: Config): readonly EnvironmentRow[] {
  return [...environmentOf(config)].map(([key, value]) => {
    const salt = randomBytes(BYTES).toString("hex");
    return { key, salt, hash: hashOf(value, salt) };
  });
}

/**
 * Returns the keys of variables whose values have changed since they were stored. Added and removed variables are left out, because the comparison of
 * the stored configuration detects them.
 */
export function otherValues(before: readonly EnvironmentRow[], config: Config): readonly string[] {
  const now = environmentOf(config);
  return before.flatMap(({ key, salt, hash }) => {
    const value = now.get(key);
    return value === undefined || hashOf(value, salt) === hash ? [] : [key];
  });
}

/** Matches a value that is a placeholder such as `{port}`. Such a value is stored unchanged, because it is no secret, and hashing takes 10 ms. */
const PLACEHOLDER = /^\{(?:port|lane|db_[a-z]+|(?:url|host|port|user|password|database):[\w-]+)\}$/;

const hashOf = (value: string, salt: string): string =>
  PLACEHOLDER.test(value) ? value : scryptSync(value, salt, BYTES, { N: COST }).toString("hex");

/** Returns the values of variables that the configuration passes to processes, by key. The values may be secrets. */
export function environmentOf({ target, services }: Config): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const take = (where: string, env: Readonly<Record<string, string>> = {}): void => {
    for (const [name, value] of Object.entries(env)) values.set(`${where}.env.${name}`, value);
  };
  take("target", target?.env);
  for (const [index, step] of (target?.warmUp ?? []).entries()) {
    const { headers, json } = typeof step === "string" ? {} : step;
    if (headers !== undefined || json !== undefined) values.set(`target.warm_up.${index}`, JSON.stringify([headers, json]));
  }
  for (const { name, env } of services) take(`services.${name}`, env);
  return values;
}
