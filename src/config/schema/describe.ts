import { alternatives } from "../../model/text/alternatives.ts";
import type { NumberSpec, Spec } from "./spec.ts";

const SAFE = Number.MAX_SAFE_INTEGER;

/** Describes the values that a spec accepts, as the end of the sentence "it must be ...". */
export function describe(spec: Spec): string {
  switch (spec.kind) {
    case "boolean":
      return "true or false";
    case "integer":
      return `an integer${bounds(spec)}`;
    case "number":
      return `a number${bounds(spec)}`;
    case "seconds":
      return `a number of seconds${bounds(spec)}, such as 30, "30s", "5m", "250ms" or "1h"`;
    case "text":
      return spec.pattern?.says ?? (spec.path === "or_url" ? "a path or a URL" : spec.path === true ? "a path" : "text");
    case "url":
      if (spec.isFree === true) return "a URL";
      return `a URL that starts with ${alternatives(spec.schemes.map((scheme) => `${scheme}:${scheme.startsWith("http") ? "//" : ""}`))}`;
    case "choice":
      return alternatives(spec.orModule === true ? [...spec.choices, "a path such as ./mine.ts"] : spec.choices);
    case "loose":
      return "text, a number or a boolean";
    case "any":
      return "any value";
    case "list":
      return `a list in which each item is ${describe(spec.of)}`;
    case "map":
      return "a section of names and values";
    case "section":
      return `a section with the keys ${Object.keys(spec.fields).join(", ")}`;
    case "either":
      return alternatives(spec.of.map(describe));
  }
}

function bounds(spec: NumberSpec): string {
  const low =
    spec.above !== undefined ? ` above ${spec.above}` : spec.min !== undefined && spec.min !== -SAFE ? ` of at least ${spec.min}` : "";
  const high = spec.max !== undefined && spec.max !== SAFE ? ` and at most ${spec.max}` : "";
  return `${low}${high}`;
}
