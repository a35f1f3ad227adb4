import type { Parameter, Schema } from "./description.ts";
import { examplesOf } from "./examples.ts";
import { entriesOf, isPlain, listOf, own, textOf, type Plain } from "../parse/plain.ts";
import { quoted } from "../problem.ts";
import type { References } from "../normalise/references.ts";
import type { Warnings } from "../warnings.ts";

const PLACES: ReadonlySet<unknown> = new Set<Parameter["in"]>(["path", "query", "header", "cookie"]);

interface Given {
  readonly template: string;
  readonly pointer: string;
  readonly lists: readonly unknown[];
  readonly references: References;
  readonly warnings: Warnings;
}

/**
 * Returns the parameters of an operation, one for each location and name. A `{name}` in the path that is not described becomes a string parameter.
 */
export function parametersOf({ template, pointer, lists, references, warnings }: Given): readonly Parameter[] {
  const named = templateNames(template);
  const found = new Map<string, Parameter>();
  for (const item of lists.flatMap(listOf)) {
    const parameter = references.object(item);
    const read = parameter === undefined ? undefined : parameterOf(parameter, references);
    if (read === undefined) warnings.add(pointer, 'A parameter has no valid "name" or "in", and is left out');
    else if (read.in === "path" && !named.includes(read.name))
      warnings.add(pointer, `The parameter ${quoted(read.name)} is not in the path, and is left out`);
    else found.set(`${read.in} ${read.name}`, read);
  }
  for (const name of named) {
    if (found.has(`path ${name}`)) continue;
    warnings.add(pointer, `The parameter ${quoted(name)} of the path is not described, and is treated as text`);
    found.set(`path ${name}`, {
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
      style: "simple",
      explode: false,
      examples: [],
      description: undefined,
    });
  }
  return [...found.values()];
}

/** Returns the names of the parameters in a URL path template, each once: `id` for `/orders/{id}`. */
export function templateNames(template: string): readonly string[] {
  return [...new Set([...template.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!))];
}

function parameterOf(parameter: Plain, references: References): Parameter | undefined {
  const name = textOf(own(parameter, "name"));
  const place = own(parameter, "in");
  if (name === undefined || name === "" || !PLACES.has(place)) return undefined;
  const [type = "", media] = entriesOf(own(parameter, "content"))[0] ?? [];
  const described = isPlain(media) && own(parameter, "schema") === undefined ? media : parameter;
  const isJson = described !== parameter && /[/+]json\b/i.test(type);
  const style = isJson ? "json" : (textOf(own(parameter, "style")) ?? (place === "query" || place === "cookie" ? "form" : "simple"));
  const schema = schemaOf(own(described, "schema")) ?? true;
  return {
    name,
    in: place as Parameter["in"],
    required: place === "path" || own(parameter, "required") === true,
    schema,
    style,
    explode: own(parameter, "explode") === undefined ? style === "form" : own(parameter, "explode") === true,
    examples: examplesOf([described, parameter], schema, references),
    description: textOf(own(parameter, "description")),
  };
}

export function schemaOf(value: unknown): Schema | undefined {
  return typeof value === "boolean" || isPlain(value) ? value : undefined;
}
