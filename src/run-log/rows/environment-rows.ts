import { randomBytes, scryptSync } from "node:crypto";
import type { Config } from "../../config/index.ts";

/** An environment variable of a process, as the run log keeps it. A later run can compare its value, but not read it. */
export interface EnvironmentRow {
  /** For example `target.env.TOKEN`, `services.mailer.env.TOKEN` or `target.warm_up.0`. */
  readonly key: string;
  /** Per-value salt (hex), so that equal values have different hashes. */
  readonly salt: string;
  /** Hexadecimal; a placeholder is kept as it is. */
  readonly hash: string;
}

/** Cost of scrypt. Values may be short, and run logs are passed on as CI artifacts: each guess takes some 10 ms. */
const COST = 4096;
const BYTES = 16;

/** Returns the variables of the configuration, in the order of declaration. */
export function environmentRows(config: Config): readonly EnvironmentRow[] {
  return [...environmentOf(config)].map(([key, value]) => {
    const salt = randomBytes(BYTES).toString("hex");
    return { key, salt, hash: hashOf(value, salt) };
  });
}

/** Returns the keys of variables whose values have changed. Added and removed variables show in the rows of the configuration. */
export function otherValues(before: readonly EnvironmentRow[], config: Config): readonly string[] {
  const now = environmentOf(config);
  return before.flatMap(({ key, salt, hash }) => {
    const value = now.get(key);
    return value === undefined || hashOf(value, salt) === hash ? [] : [key];
  });
}

/** A value that is a placeholder holds no secret, and is kept as it is: a hash takes 10 ms. */
const PLACEHOLDER = /^\{(?:port|lane|db_[a-z]+|(?:url|host|port|user|password|database):[\w-]+)\}$/;

const hashOf = (value: string, salt: string): string =>
  PLACEHOLDER.test(value) ? value : scryptSync(value, salt, BYTES, { N: COST }).toString("hex");

/** Returns the values of the variables that the configuration gives to processes, by key; they may be secrets. */
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
