import type { Schema } from "./description.ts";
import { entriesOf, isPlain, listOf, own } from "../parse/plain.ts";
import type { References } from "../normalise/references.ts";

/**
 * Returns the different values of `example` and `examples`. Examples beside the schema come before examples inside it, because they were written for
 * this particular parameter or body.
 */
export function examplesOf(described: readonly unknown[], schema: Schema | undefined, references: References): readonly unknown[] {
  const found: unknown[] = [];
  for (const one of described) {
    if (!isPlain(one)) continue;
    if (Object.hasOwn(one, "example")) found.push(one["example"]);
    for (const [, item] of entriesOf(own(one, "examples"))) {
      const example = references.end(item);
      if (isPlain(example) && Object.hasOwn(example, "value")) found.push(example["value"]);
    }
  }
  const resolved = schema === undefined ? undefined : references.object(schema);
  for (const one of resolved === schema ? [schema] : [schema, resolved]) {
    if (!isPlain(one)) continue;
    if (Object.hasOwn(one, "example")) found.push(one["example"]);
    found.push(...listOf(own(one, "examples")));
  }
  return unique(found);
}

function unique(values: readonly unknown[]): readonly unknown[] {
  return values.length < 2 ? values : [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
