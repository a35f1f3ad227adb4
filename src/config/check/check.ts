import { checkScalar } from "./check-scalar.ts";
import { describe } from "../schema/describe.ts";
import type { Located, LocatedEntry, LocatedList, LocatedMap } from "../read/located.ts";
import { nearest } from "../../model/text/nearest.ts";
import { problem, shown, valueProblem, type ProblemCode } from "../problem.ts";
import type { EitherSpec, ListSpec, MapSpec, ScalarSpec, SectionSpec, Spec } from "../schema/spec.ts";

/** A callback for every value that the user set. It receives the dotted key and the origin of the value, for example `file seqqa.yaml:3:5`. */
export type Note = (key: string, source: string) => void;

/**
 * Checks a configuration value against its spec and returns plain data. Keys keep the spelling of the file, and no defaults are added.
 * @throws SeqqaError that names the problem, the file and the line
 */
export function check(spec: Spec, key: string, value: Located, note: Note): unknown {
  switch (spec.kind) {
    case "section":
      return value.kind === "map" ? section(spec, key, value, note) : wrongType(spec, key, value);
    case "map":
      return value.kind === "map" ? map(spec, key, value, note) : wrongType(spec, key, value);
    case "list":
      return value.kind === "list" ? list(spec, key, value, note) : wrongType(spec, key, value);
    case "either":
      return either(spec, key, value, note);
    case "any":
      note(key, value.source);
      return plain(value);
    default:
      return value.kind === "scalar" ? scalar(spec, key, value, note) : wrongType(spec, key, value);
  }
}

function plain(value: Located): unknown {
  if (value.kind === "list") return value.items.map(plain);
  if (value.kind === "map") return Object.fromEntries(value.entries.map((entry) => [entry.key, plain(entry.value)]));
  return value.value;
}

function scalar(spec: ScalarSpec, key: string, value: Located & { readonly kind: "scalar" }, note: Note): unknown {
  if (value.value === null) return empty(spec, key, value);
  const checked = checkScalar(spec, key, value);
  note(key, value.source);
  return checked;
}

/** Rejects a key without a value. Such a key is more likely a mistake than a request for the default. */
function empty(spec: Spec, key: string, value: Located): never {
  throw valueProblem("CONFIG_TYPE", value, key, `has no value; it must be ${describe(spec)}.`, "Write a value, or remove the line.");
}

function wrongType(spec: Spec, key: string, value: Located): never {
  if (value.kind === "scalar" && value.value === null) return empty(spec, key, value);
  const is = value.kind === "map" ? "a section" : value.kind === "list" ? "a list" : "a single value";
  const braces = value.kind === "map" && (spec.kind === "text" || spec.kind === "loose");
  throw valueProblem(
    "CONFIG_TYPE",
    value,
    key,
    `is ${is}; it must be ${describe(spec)}.`,
    braces ? 'Write a text that starts with { in quotes: "{port}".' : undefined,
  );
}

const join = (key: string, name: string): string => (key === "" ? name : `${key}.${name}`);

function section(spec: SectionSpec, key: string, value: LocatedMap, note: Note): Readonly<Record<string, unknown>> {
  const checked: Record<string, unknown> = {};
  for (const entry of value.entries) {
    const field = Object.hasOwn(spec.fields, entry.key) ? spec.fields[entry.key] : undefined;
    if (field === undefined) throw unknownKey(spec, key, entry);
    const dotted = join(key, entry.key);
    const member = check(inSection(field.spec, value), dotted, entry.value, note);
    checked[entry.key] = member;
  }
  for (const [name, field] of Object.entries(spec.fields)) {
    if (field.required === true && !(name in checked)) {
      throw problem("CONFIG_MISSING_KEY", value.where, `${join(key, name)} is missing; it must be ${describe(field.spec)}.`);
    }
  }
  if (key !== "") note(key, value.source);
  return checked;
}

/**
 * Returns the spec that applies to a value in this section. A URL may have any scheme if the section also sets the key that the spec's `freeWith`
 * names.
 */
function inSection(spec: Spec, { entries }: LocatedMap): Spec {
  const isFree = spec.kind === "url" && entries.some(({ key }) => key === spec.freeWith);
  return isFree ? { ...spec, isFree } : spec;
}

function unknownKey(spec: SectionSpec, key: string, entry: LocatedEntry): Error {
  const valid = Object.keys(spec.fields);
  const near = nearest(entry.key, valid);
  const place = key === "" ? "" : ` in ${key}`;
  return problem(
    "CONFIG_UNKNOWN_KEY",
    entry.where,
    `unknown key ${JSON.stringify(entry.key.slice(0, 80))}${place}${near === undefined ? "." : `; did you mean "${near}"?`}`,
    `Valid keys here: ${valid.join(", ")}.`,
  );
}

function map(spec: MapSpec, key: string, value: LocatedMap, note: Note): Readonly<Record<string, unknown>> {
  const checked: [string, unknown][] = [];
  for (const entry of value.entries) {
    if (!spec.names.test(entry.key)) {
      throw problem(
        "CONFIG_RANGE",
        entry.where,
        `${JSON.stringify(entry.key.slice(0, 80))} is not a valid name in ${key}. Use only letters, digits and _.`,
      );
    }
    checked.push([entry.key, check(spec.of, join(key, entry.key), entry.value, note)]);
  }
  note(key, value.source);
  return Object.fromEntries(checked);
}

function list(spec: ListSpec, key: string, value: LocatedList, note: Note): readonly unknown[] {
  const checked = value.items.map((item, index) => check(spec.of, `${key}[${index}]`, item, () => undefined));
  note(key, value.source);
  return checked;
}

/**
 * Checks a value whose key accepts several forms, for example a section or a word. The form of the value (section, list, text or number) selects the
 * spec that it is checked against.
 */
function either(spec: EitherSpec, key: string, value: Located, note: Note): unknown {
  const form = { map: "section", list: "list", scalar: "scalar" }[value.kind];
  const candidates = spec.of.filter((one) => (one.kind === "section" || one.kind === "list" ? one.kind === form : form === "scalar"));
  const picked = candidates.find((one) => isNumeric(value) === (one.kind === "integer" || one.kind === "number")) ?? candidates[0];
  if (picked === undefined || (value.kind === "scalar" && value.value === null)) return wrongType(spec, key, value);
  if (value.kind !== "scalar") return check(picked, key, value, note);
  try {
    return check(picked, key, value, note);
  } catch (error) {
    const { code } = error as { readonly code: ProblemCode };
    throw valueProblem(
      code,
      value,
      key,
      `is ${shown(value.written)}; it must be ${describe(spec)}.`,
      (error as { readonly hint?: string }).hint,
    );
  }
}

const isNumeric = (value: Located): boolean =>
  value.kind === "scalar" && (typeof value.value === "number" || (value.fromText && /^\s*[-+]?[\d.]+\s*$/.test(String(value.value))));
