import { sqlitePathOf } from "../../model/stores/sqlite-path.ts";
import { withAbsoluteDescription } from "../stub-description.ts";
import { isAbsolute, resolve } from "node:path";
import { describe } from "../schema/describe.ts";
import { durationSeconds } from "../../model/text/duration.ts";
import type { LocatedScalar } from "../read/located.ts";
import { nearest } from "../../model/text/nearest.ts";
import { shown, valueProblem, type ProblemCode } from "../problem.ts";
import { MODULE_PATH, type ChoiceSpec, type NumberSpec, type ScalarSpec, type TextSpec, type UrlSpec } from "../schema/spec.ts";

const FILE_URL = /^(?:https?|file):\/\//i;
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/**
 * Checks a scalar value of the configuration. Returns the value in the type of its spec, for example the number 30 for `"30s"`.
 * @throws SeqqaError `CONFIG_TYPE` or `CONFIG_RANGE`.
 */
export function checkScalar(spec: ScalarSpec, key: string, scalar: LocatedScalar): unknown {
  switch (spec.kind) {
    case "boolean":
      return boolean(spec, key, scalar);
    case "integer":
    case "number":
    case "seconds":
      return number(spec, key, scalar);
    case "text":
      return text(spec, key, scalar);
    case "url":
      return url(spec, key, scalar);
    case "choice":
      return choice(spec, key, scalar);
    case "loose":
      return scalar.fromText ? String(scalar.value) : typeof scalar.value === "string" ? scalar.value : scalar.written;
  }
}

function refuse(code: ProblemCode, spec: ScalarSpec, key: string, scalar: LocatedScalar, hint?: string): never {
  const value = typeof scalar.value === "string" ? shown(scalar.written) : scalar.written.slice(0, 60);
  throw valueProblem(code, scalar, key, `is ${value}; it must be ${describe(asWritten(spec, scalar))}.`, hint);
}

/** Returns the spec with its choices in the spelling of the value's origin: with dashes for a flag, as in the help, otherwise unchanged. */
function asWritten(spec: ScalarSpec, { source }: LocatedScalar): ScalarSpec {
  if (spec.kind !== "choice" || !source.startsWith("flag ")) return spec;
  return { ...spec, choices: spec.choices.map((one) => one.replaceAll("_", "-")) };
}

function boolean(spec: ScalarSpec, key: string, scalar: LocatedScalar): boolean {
  if (typeof scalar.value === "boolean") return scalar.value;
  if (scalar.fromText && /^(?:true|1)$/i.test(String(scalar.value))) return true;
  if (scalar.fromText && /^(?:false|0)$/i.test(String(scalar.value))) return false;
  return refuse("CONFIG_TYPE", spec, key, scalar);
}

function number(spec: NumberSpec, key: string, scalar: LocatedScalar): number {
  let value: number | undefined;
  if (typeof scalar.value === "number") value = scalar.value;
  else if (typeof scalar.value === "string") {
    if (spec.kind === "seconds") value = durationSeconds(scalar.value);
    else if (scalar.fromText && NUMBER.test(scalar.value)) value = Number(scalar.value);
  }
  if (value === undefined || Number.isNaN(value)) return refuse("CONFIG_TYPE", spec, key, scalar);
  if (spec.kind === "integer" && Number.isFinite(value) && !Number.isInteger(value)) return refuse("CONFIG_TYPE", spec, key, scalar);
  const outside =
    !Number.isFinite(value) ||
    (spec.min !== undefined && value < spec.min) ||
    (spec.above !== undefined && value <= spec.above) ||
    (spec.max !== undefined && value > spec.max);
  return outside ? refuse("CONFIG_RANGE", spec, key, scalar) : value;
}

function text(spec: TextSpec, key: string, scalar: LocatedScalar): string {
  if (typeof scalar.value !== "string") return refuse("CONFIG_TYPE", spec, key, scalar, "If you mean a text, write the value in quotes.");
  if (scalar.value.trim() === "") return refuse("CONFIG_RANGE", spec, key, scalar);
  if (spec.pattern !== undefined && !spec.pattern.is.test(scalar.value))
    return refuse("CONFIG_RANGE", spec, key, scalar, spec.pattern.hint?.(scalar.value));
  const isModulePath = spec.module === true && MODULE_PATH.test(scalar.value);
  const isPath = spec.path === true || (spec.path === "or_url" && !FILE_URL.test(scalar.value)) || isModulePath;
  return isPath ? resolve(scalar.base, scalar.value) : scalar.value;
}

function url(spec: UrlSpec, key: string, scalar: LocatedScalar): string {
  if (typeof scalar.value !== "string") return refuse("CONFIG_TYPE", spec, key, scalar);
  const value = scalar.value.trim();
  if (spec.isFree === true) return URL.canParse(value) ? value : refuse("CONFIG_RANGE", spec, key, scalar);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined || !spec.schemes.includes(scheme)) return refuse("CONFIG_RANGE", spec, key, scalar);
  if (scheme === "sqlite") return sqlite(spec, key, scalar, sqlitePathOf(value)!);
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || (parsed.hostname === "" && scheme.startsWith("http")) || !value.toLowerCase().startsWith(`${scheme}://`)) {
    return refuse("CONFIG_RANGE", spec, key, scalar);
  }
  if (!scheme.startsWith("http")) return withAbsoluteDescription(value, scalar.base);
  if (parsed.search !== "" || parsed.hash !== "")
    return refuse("CONFIG_RANGE", spec, key, scalar, "Remove everything after ? or # from the URL.");
  return value.replace(/\/+$/, "");
}

/** Converts the URL of an SQLite file to `sqlite:` followed by an absolute path. Accepts `sqlite:./a.db`, `sqlite:/a.db` and `sqlite:///a.db`. */
function sqlite(spec: UrlSpec, key: string, scalar: LocatedScalar, file: string): string {
  if (file === "" || file === ":memory:" || file.includes("\0") || file.endsWith("/")) {
    return refuse(
      "CONFIG_RANGE",
      spec,
      key,
      scalar,
      "Give a file, such as sqlite:./shop.db. Another process cannot read a database in memory.",
    );
  }
  return `sqlite:${isAbsolute(file) ? file : resolve(scalar.base, file)}`;
}

function choice(spec: ChoiceSpec, key: string, scalar: LocatedScalar): string {
  if (typeof scalar.value !== "string") return refuse("CONFIG_TYPE", spec, key, scalar, "If you mean a text, write the value in quotes.");
  if (spec.orModule === true && MODULE_PATH.test(scalar.value)) return resolve(scalar.base, scalar.value);
  const word = scalar.value.trim().toLowerCase().replaceAll("-", "_");
  const meant = spec.aliases?.[word] ?? word;
  if (spec.choices.includes(meant)) return meant;
  const near = nearest(word, (asWritten(spec, scalar) as ChoiceSpec).choices);
  return refuse("CONFIG_RANGE", spec, key, scalar, near === undefined ? undefined : `Did you mean ${near}?`);
}
