import type { Parameter } from "../../../openapi/operations/description.ts";
import { asJson, constant, type Built } from "./built.ts";
import { whyOf, type Drafting } from "../actions/drafting.ts";
import { drawnValue } from "./drawn-value.ts";
import { deletedKey } from "../actions/find-restores.ts";
import { placeOfParameter } from "../facts.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import type { KeyIndex } from "../resources/key-index.ts";
import { isGeneric } from "../resources/id-field.ts";
import { identifier } from "../resources/identifiers.ts";
import { givenValue, valueOf } from "./parameter-value.ts";
import type { PlannedParameter } from "../plan.ts";
import { snake } from "../resources/words.ts";

/**
 * Plans the value of a path parameter: an id that an earlier action returns, an id that the client chooses, or a value in the description. If no such
 * value is known, the user has to set a context key.
 * @param open Receives the parameters whose context keys the user has to set.
 * @param sent Receives the values of parameters that are stored under a context key.
 */
export function pathParameter(
  parameter: Parameter,
  drafting: Drafting,
  open: Map<string, Parameter>,
  sent: Map<string, Built>,
): PlannedParameter {
  const { call, facts } = drafting;
  const { index, producers } = facts;
  const { name, style } = parameter;
  const planned = (value: PlannedParameter["value"], why: string): PlannedParameter => ({ name, in: "path", value, why });
  if (style === "label" || style === "matrix") {
    const start = style === "label" ? "." : `;${name}=`;
    drafting.note(
      `path parameter ${name}`,
      `The description demands "${start}" before this value (style ${style}). Write this text into the path of the action.`,
    );
  }
  const own = [...producers.values()]
    .flat()
    .find((one) => one.call === call && one.source.kind === "sentParameter" && one.source.name === name);
  if (own !== undefined) {
    const built = chosenId(parameter, drafting);
    sent.set(name, built);
    return planned(built.value, "chosen by the client");
  }
  const linked = facts.linked.get(placeOfParameter(call.operation, "path", name));
  if (linked?.kind === "constant") return planned({ kind: "constant", value: asJson(linked.value) ?? "" }, `the link ${linked.link}`);
  const at = call.path.segments.findIndex((segment) => segment.kind === "parameter" && segment.name === name);
  const resource = at < 0 ? undefined : index.resourceAt(call, at);
  const byLink = linked !== undefined && index.produced(linked.key) ? linked.key : undefined;
  const key = byLink ?? (resource !== undefined && index.produced(resource.key) ? resource.key : index.byName(name, call)?.key);
  if (key !== undefined) {
    drafting.needs.set(key, "path");
    const restored = facts.restores.get(call.operation);
    const first = restored?.key === key && at === call.path.segments.length - 2 ? deletedKey(restored) : undefined;
    return planned({ kind: "context", key, ...(first !== undefined && { first }) }, whyOf(key, facts));
  }
  const given = givenValue(parameter, drafting);
  if (given !== undefined) return planned(given.value, "an example of the description");
  const missing = facts.common.get(placeOfParameter(call.operation, "path", name)) ?? openKey(name, at, resource, call, index);
  drafting.needs.set(missing, "path");
  open.set(missing, parameter);
  drafting.note(`path parameter ${name}`, noCallReturns(missing));
  return planned({ kind: "context", key: missing }, "not inferred");
}

export function noCallReturns(key: string): string {
  return `No call returns this value. Give "${key}" a value in setup.ts, set it in an action, or write a value in the path.`;
}

/**
 * Returns the context key for a parameter whose value no action returns. The key gets the prefix `other_` if an action returns a value with the same
 * key.
 */
export function openKey(name: string, at: number, resource: FoundResource | undefined, call: Called, index: KeyIndex): string {
  if (resource !== undefined) return resource.key;
  const before = call.path.segments.slice(0, Math.max(at, 0)).findLast(({ kind }) => kind === "literal");
  const plain = isGeneric(name) && before?.kind === "literal" ? `${snake(before.text)}_${snake(name)}` : snake(name);
  const key = identifier(plain, "value");
  return index.produced(key) ? identifier(`other_${key}`, "value") : key;
}

/** Returns an id that the client chooses for a new item: a random value if the id is a UUID, else a constant. */
function chosenId(parameter: Parameter, drafting: Drafting): Built {
  const { schemas, checker } = drafting.facts;
  if (schemas.flat(parameter.schema).keywords["format"] === "uuid") {
    const drawn = drawnValue(["uuid"], parameter.schema, checker);
    if (drawn !== undefined) return drawn;
  }
  return valueOf(parameter, drafting) ?? constant("example");
}
