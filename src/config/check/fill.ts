import { check } from "./check.ts";
import { locate } from "../read/located.ts";
import type { SectionSpec, Spec } from "../schema/spec.ts";

/** Returns a checked configuration value with all defaults added and with keys in camelCase. A key without value and default becomes `undefined`. */
export function fill(spec: Spec, value: unknown, folder: string): unknown {
  switch (spec.kind) {
    case "section":
      return section(spec, (value ?? {}) as Readonly<Record<string, unknown>>, folder);
    case "map":
      return Object.fromEntries(Object.entries(value ?? {}).map(([name, member]) => [name, fill(spec.of, member, folder)]));
    case "list":
      return ((value ?? []) as readonly unknown[]).map((item) => fill(spec.of, item, folder));
    case "either": {
      const inner = typeof value === "object" ? spec.of.find((one) => one.kind === "section") : undefined;
      return inner === undefined ? value : fill(inner, value, folder);
    }
    default:
      return value;
  }
}

function section(spec: SectionSpec, values: Readonly<Record<string, unknown>>, folder: string): Readonly<Record<string, unknown>> {
  const place = { where: "default", source: "default", base: folder };
  return Object.fromEntries(
    Object.entries(spec.fields).map(([name, field]) => {
      const value =
        values[name] ?? (field.default === undefined ? undefined : check(field.spec, name, locate(field.default, place), () => undefined));
      return [camel(name), value === undefined && field.always !== true ? undefined : fill(field.spec, value, folder)];
    }),
  );
}

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
