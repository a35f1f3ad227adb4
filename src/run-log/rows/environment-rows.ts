import { randomBytes, scryptSync } from "node:crypto";
import type { Config } from "../../config/index.ts";

/** A variable that the configuration gives to a process, as the store knows it: whether another value is the same can be told, the value cannot. */
export interface EnvironmentRow {
  /** For example `target.env.TOKEN`, `services.mailer.env.TOKEN` or `target.warm_up.0`. */
  readonly key: string;
  /** Hexadecimal, its own: equal values cannot be told from others. */
  readonly salt: string;
  /** Hexadecimal. */
  readonly hash: string;
}

/** Values may be short, and stores are handed on, as artifacts of CI: some 10 ms for each guess. */
const COST = 4096;
const BYTES = 16;

/** The variables of the configuration, in the order of its declaration. */
export function environmentRows(config: Config): readonly EnvironmentRow[] {
  return [...environmentOf(config)].map(([key, value]) => {
    const salt = randomBytes(BYTES).toString("hex");
    return { key, salt, hash: hashOf(value, salt) };
  });
}

/** The keys of the variables whose values are others now. Which there are at all is part of the configuration's rows. */
export function otherValues(before: readonly EnvironmentRow[], config: Config): readonly string[] {
  const now = environmentOf(config);
  return before.flatMap(({ key, salt, hash }) => {
    const value = now.get(key);
    return value === undefined || hashOf(value, salt) === hash ? [] : [key];
  });
}

const hashOf = (value: string, salt: string): string => scryptSync(value, salt, BYTES, { N: COST }).toString("hex");

/** The values of the variables that the configuration gives to processes, by key; they may be secrets. */
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
