import type { Parameter } from "../../../openapi/operations/description.ts";
import { buildValue } from "./build-value.ts";
import type { Built } from "./built.ts";
import type { Drafting } from "../actions/drafting.ts";

export function valueOf({ name, schema, examples }: Parameter, { facts: { schemas } }: Drafting): Built | undefined {
  return buildValue(schema, { name, examples }, { schemas, examples: true, full: false, steps: { left: 2000 }, field: () => undefined });
}

/** Returns a value for a parameter that the description contains: an example, a default, a constant, or a value of the enumeration. */
export function givenValue(parameter: Parameter, drafting: Drafting): Built | undefined {
  const { keywords, types } = drafting.facts.schemas.flat(parameter.schema);
  const said =
    parameter.examples.length > 0 ||
    ["example", "examples", "default", "const", "enum"].some((name) => keywords[name] !== undefined) ||
    (types.has("boolean") && types.size === 1);
  const built = said ? valueOf(parameter, drafting) : undefined;
  return built === undefined || drafting.facts.checker.problem(parameter.schema, built.sample) !== undefined ? undefined : built;
}
