import type { Parameter } from "../../../openapi/operations/description.ts";
import { isSameKey, variableOf } from "../accounts/authentication.ts";
import { asJson } from "./built.ts";
import { whyOf, type Drafting } from "../actions/drafting.ts";
import { requestKey } from "./drawn-value.ts";
import { placeOfParameter } from "../facts.ts";
import { givenValue, valueOf } from "./parameter-value.ts";
import { noCallReturns, openKey } from "./path-parameter.ts";
import type { PlannedParameter } from "../plan.ts";
import { looksLikeId } from "../resources/words.ts";

const NEVER_SENT = new Set(["accept", "content-type", "authorization", "content-length", "host"]);

/**
 * Plans the value of a query parameter, header or cookie. Only required parameters and parameters with a known context key are sent.
 * @param open Receives the parameters whose context keys the user has to set.
 */
export function otherParameter(parameter: Parameter, drafting: Drafting, open: Map<string, Parameter>): PlannedParameter | undefined {
  const { name, in: where, required, schema } = parameter;
  const { call, facts, kind } = drafting;
  if (where === "header" && NEVER_SENT.has(name.toLowerCase())) return undefined;
  const { scheme, keys } = facts.authentication;
  if ([scheme, ...keys].some((one) => isSameKey(one, parameter))) return undefined;
  const planned = (value: PlannedParameter["value"], why: string): PlannedParameter => ({ name, in: where, value, why });
  if ([...facts.description.securitySchemes.values()].some((one) => isSameKey(one, parameter))) {
    if (!required) return undefined;
    const variable = variableOf(name);
    drafting.note(`${where} parameter ${name}`, `This parameter is an API key. Set the environment variable ${variable}.`);
    return planned({ kind: "environment", name: variable, otherwise: "" }, "the environment");
  }
  const linked = facts.linked.get(placeOfParameter(call.operation, where, name));
  if (linked?.kind === "constant") return planned({ kind: "constant", value: asJson(linked.value) ?? "" }, `the link ${linked.link}`);
  const drawn = required ? requestKey(name, where, schema, facts.checker) : undefined;
  if (drawn !== undefined) return planned(drawn.value, "different for each request");
  // Optional parameters of `GET` and `HEAD` are not sent, because a filter would hide the other items of a list.
  const wanted = required || linked !== undefined || (call.operation.method !== "get" && call.operation.method !== "head");
  const field = { name, schema, required, inside: [], object: facts.schemas.flat(true), of: true };
  const resource = wanted ? (facts.index.ofField(field, call) ?? (required ? facts.index.ofQuery(parameter, call) : undefined)) : undefined;
  const key = linked?.key ?? resource?.key;
  const own = kind.kind === "create" && kind.resource === resource;
  if (key !== undefined && !drafting.avoid.has(key) && !(linked === undefined && own)) {
    if (drafting.needs.get(key) !== "path") drafting.needs.set(key, required ? "required" : "optional");
    return planned({ kind: "context", key }, whyOf(key, facts));
  }
  if (!required) return undefined;
  const given = givenValue(parameter, drafting);
  if (given !== undefined) return planned(given.value, "an example of the description");
  // The header `If-Match` accepts `*` (RFC 9110, section 13.1.1). A specific entity tag would have to come from an earlier answer.
  const any = { kind: "constant", value: "*" } as const;
  if (where === "header" && name.toLowerCase() === "if-match" && facts.checker.problem(schema, any.value) === undefined)
    return planned(any, "any existing one");
  if (where === "query" && looksLikeId(name)) {
    const missing = openKey(name, call.path.segments.length, undefined, call, facts.index);
    drafting.needs.set(missing, "path");
    open.set(missing, parameter);
    drafting.note(`query parameter ${name}`, noCallReturns(missing));
    return planned({ kind: "context", key: missing }, "not inferred");
  }
  const built = valueOf(parameter, drafting);
  if (built === undefined || facts.checker.problem(schema, built.sample) !== undefined) {
    drafting.note(`${where} parameter ${name}`, "seqqa could not build a value that the schema allows. Write a value yourself.");
  } else if (looksLikeId(name))
    drafting.note(`${where} parameter ${name}`, "This parameter seems to be an id, but no call returns it. Write an id that exists.");
  return planned(built?.value ?? { kind: "constant", value: "example" }, "built from its schema");
}
