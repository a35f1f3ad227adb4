import { nearest } from "../../model/text/nearest.ts";
import { check } from "../check/check.ts";
import type { Environment } from "./environment.ts";
import { KEYS } from "../schema/keys.ts";
import type { Located, LocatedScalar } from "./located.ts";

export interface FlagValue {
  readonly key: string;
  readonly flag: string;
  readonly value: string;
}

type Section = Record<string, unknown>;

/**
 * Writes values of environment variables and of flags over the values of the configuration file. Flags win over environment variables. An empty
 * environment variable counts as not set.
 */
export function override(
  values: Section,
  sources: Record<string, string>,
  env: Environment,
  flags: readonly FlagValue[],
  cwd: string,
): void {
  for (const { key, variable } of KEYS) {
    const value = variable === undefined ? undefined : env[variable];
    if (variable !== undefined && value !== undefined && value !== "")
      set(values, sources, { key, text: value, where: variable, source: `environment ${variable}`, base: cwd });
  }
  for (const { key, flag, value } of flags) set(values, sources, { key, text: value, where: flag, source: `flag ${flag}`, base: cwd });
}

/** Environment variables of seqqa that set no configuration key. */
const OTHERS = ["SEQQA_ALLOW_DB", "SEQQA_RUN", "SEQQA_SECRET"];

/**
 * Returns sentences about environment variables that set nothing, although their names resemble the name of a variable that seqqa reads. Other names
 * that begin with `SEQQA_` are accepted, because a configuration file may refer to such variables.
 */
export function misspelledVariables(env: Environment): readonly string[] {
  const known = [...KEYS.flatMap(({ variable }) => (variable === undefined ? [] : [variable])), ...OTHERS];
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith("SEQQA_") || env[name] === "" || known.includes(name)) return [];
    const rest = name.slice("SEQQA_".length);
    const meant = known.find((one) => `${one}_`.includes(`_${rest}_`)) ?? nearest(name, known);
    return meant === undefined ? [] : [`The environment variable ${name} sets nothing. Did you mean ${meant}?`];
  });
}

interface Override {
  readonly key: string;
  readonly text: string;
  readonly where: string;
  readonly source: string;
  /** The folder against which relative paths in the value are resolved. */
  readonly base: string;
}

function set(values: Section, sources: Record<string, string>, { key, text, where, source, base }: Override): void {
  const field = KEYS.find((one) => one.key === key)?.field;
  if (field === undefined) throw new Error(`${where} sets ${key}, which is not a key of the configuration`);
  const scalar = (value: string): LocatedScalar => ({ kind: "scalar", where, source, base, value, written: value, fromText: true });
  const located: Located =
    field.spec.kind === "list"
      ? { kind: "list", where, source, base, items: text.split(",").map((item) => scalar(item.trim())) }
      : scalar(text);
  const checked = check(field.spec, key, located, (noted, from) => (sources[noted] = from));
  const path = key.split(".");
  const last = path.pop() ?? key;
  const section = path.reduce<Section>((parent, name) => (parent[name] ??= {}) as Section, values);
  // `--races pairs` and `--faults on` only switch a feature on. If the file has a section with details for the feature, keep the section.
  if ((checked === "pairs" || checked === "on") && typeof section[last] === "object") return;
  section[last] = checked;
}
