import type { Parameter } from "../../../openapi/operations/description.ts";
import type { Json, PlannedParameter } from "../plan.ts";
import { isRecord } from "./schemas.ts";

const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ["spaceDelimited", " "],
  ["pipeDelimited", "|"],
]);

/**
 * Returns a parameter as a request sends it, in the style of the description. A list or an object becomes one text. In the query, it may become one
 * parameter for each item or field. Other values are returned unchanged.
 */
export function writtenParameter(planned: PlannedParameter, { style, explode }: Parameter): readonly PlannedParameter[] {
  const { name, value: sent } = planned;
  if (sent.kind !== "constant") return [planned];
  const { value } = sent;
  const as = (json: Json, own: string = name): PlannedParameter => ({ ...planned, name: own, value: { kind: "constant", value: json } });
  if (style === "json") return [as(JSON.stringify(value))];
  if (typeof value !== "object" || value === null) return [planned];
  const isExploded = explode && planned.in === "query";
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return isExploded ? [planned] : [as(items.map(textOf).join(SEPARATORS.get(style) ?? ","))];
  }
  if (style === "deepObject") return deepFields(value, name).map(([own, one]) => as(one, own));
  const fields = Object.entries(value as Readonly<Record<string, Json>>);
  if (isExploded) return fields.map(([own, one]) => as(Array.isArray(one) ? one : textOf(one), own));
  return [as(fields.map(([own, one]) => `${own}${explode ? "=" : ","}${textOf(one)}`).join(SEPARATORS.get(style) ?? ","))];
}

/** Returns the fields of an object under the names that `deepObject` gives them: `filter[price][min]`. */
function deepFields(value: Json, name: string): readonly (readonly [name: string, value: Json])[] {
  return isRecord(value) ? Object.entries(value).flatMap(([own, one]) => deepFields(one, `${name}[${own}]`)) : [[name, value]];
}

function textOf(value: Json): string {
  return typeof value === "object" ? (value === null ? "" : JSON.stringify(value)) : String(value);
}
