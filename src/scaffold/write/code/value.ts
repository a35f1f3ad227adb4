import type { Json, PlannedKey, PlannedValue } from "../../infer/plan.ts";
import { list, object, row, text, type Code } from "./layout.ts";
import { propertyName, quoted } from "./text.ts";

export interface ValueScope {
  readonly typeOf: (key: string) => PlannedKey["type"];
  /**
   * Maps each random value that the code stores in a constant before the request to the name of this constant. Constants are needed for values that
   * are also stored in the context.
   */
  readonly drawnBefore: ReadonlyMap<PlannedValue, string>;
}

/** Returns the code for a value inside a JSON body. */
export function valueCode(value: PlannedValue, scope: ValueScope): Code {
  const before = scope.drawnBefore.get(value);
  if (before !== undefined) return text(before);
  switch (value.kind) {
    case "constant":
      return jsonCode(value.value);
    case "object":
      return object(value.entries.map(([name, of]) => row(`${propertyName(name)}: `, valueCode(of, scope))));
    case "list":
      return list(value.items.map((item) => valueCode(item, scope)));
    default:
      return text(scalarExpression(value));
  }
}

/** Returns the code for a value in a place that accepts only texts, numbers and booleans. Other values become JSON text. */
export function scalarCode(value: PlannedValue, scope: ValueScope): Code {
  if (scope.drawnBefore.has(value)) return valueCode(value, scope);
  if (value.kind === "constant") return jsonCode(isScalar(value.value) ? value.value : JSON.stringify(value.value));
  if (value.kind === "object" || value.kind === "list") {
    const fixed = constantOf(value);
    return fixed === undefined ? row("JSON.stringify(", valueCode(value, scope), ")") : text(quoted(JSON.stringify(fixed)));
  }
  return valueCode(value, scope);
}

/**
 * Returns the code for a value in a place that accepts only a text.
 * @param fit Changes a constant text before it is written into the code.
 */
export function stringCode(value: PlannedValue, scope: ValueScope, fit = (fixed: string): string => fixed): Code {
  const fixed = constantOf(value);
  if (fixed !== undefined) return text(quoted(fit(typeof fixed === "string" ? fixed : JSON.stringify(fixed))));
  const code = scalarCode(value, scope);
  return value.kind === "context" && scope.typeOf(value.key) !== "string" ? row("String(", code, ")") : code;
}

/** Returns the value if it is a constant. Returns `undefined` if a part of it is only known when the generated code runs. */
export function constantOf(value: PlannedValue): Json | undefined {
  switch (value.kind) {
    case "constant":
      return value.value;
    case "list": {
      const items = value.items.map(constantOf);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "object": {
      const entries = value.entries.map(([name, of]) => [name, constantOf(of)] as const);
      if (entries.some(([, of]) => of === undefined)) return undefined;
      return Object.fromEntries(entries as readonly (readonly [string, Json])[]);
    }
    default:
      return undefined;
  }
}

function jsonCode(value: Json): Code {
  if (Array.isArray(value)) return list((value as readonly Json[]).map(jsonCode));
  if (typeof value === "object" && value !== null) {
    return object(Object.entries(value).map(([name, of]) => row(`${propertyName(name)}: `, jsonCode(of))));
  }
  if (typeof value === "string") return text(quoted(value));
  // Infinity and NaN become `null`, because JSON cannot represent them.
  return text(typeof value === "number" && !Number.isFinite(value) ? "null" : String(value));
}

function scalarExpression(value: Extract<PlannedValue, { readonly kind: "context" | "drawn" | "environment" }>): string {
  switch (value.kind) {
    case "context": {
      const got = value.first === undefined ? required(value.key) : `context.get(${quoted(value.first)}) ?? ${required(value.key)}`;
      return value.as === undefined ? got : `${value.as === "number" ? "Number" : "String"}(${got})`;
    }
    case "drawn":
      return `context.data.${value.call}()`;
    case "environment":
      return `fromEnvironment(${quoted(value.name)}, ${quoted(value.otherwise)})`;
  }
}

function isScalar(value: Json): boolean {
  return typeof value !== "object" || value === null;
}

const required = (key: string): string => `context.getRequired(${quoted(key)})`;
