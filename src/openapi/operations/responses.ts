import { mediaOf } from "./bodies.ts";
import type { DescribedResponse, Link, Schema } from "./description.ts";
import { schemaOf } from "./parameters.ts";
import { entriesOf, own, textOf } from "../parse/plain.ts";
import { quoted } from "../problem.ts";
import type { References } from "../normalise/references.ts";
import type { Warnings } from "../warnings.ts";

/** Returns the described answers, one for each status. */
export function responsesOf(value: unknown, references: References, warnings: Warnings, pointer: string): readonly DescribedResponse[] {
  const found = new Map<string, DescribedResponse>();
  for (const [key, item] of entriesOf(value)) {
    if (key.startsWith("x-")) continue;
    const status = key.toLowerCase() === "default" ? "default" : key.toUpperCase();
    const response = references.object(item);
    if (response === undefined || !/^(default|[1-5](\d\d|XX))$/.test(status)) {
      warnings.add(pointer, `The answer ${quoted(key)} is none that there can be, and is left out`);
      continue;
    }
    found.set(status, {
      status,
      media: mediaOf(own(response, "content"), references),
      headers: headersOf(own(response, "headers"), references),
      links: linksOf(own(response, "links"), references),
    });
  }
  return [...found.values()];
}

function headersOf(value: unknown, references: References): ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }> {
  return new Map(
    entriesOf(value).flatMap(([name, item]) => {
      const header = references.object(item);
      return header === undefined
        ? []
        : [[name.toLowerCase(), { required: own(header, "required") === true, schema: schemaOf(own(header, "schema")) ?? true }]];
    }),
  );
}

function linksOf(value: unknown, references: References): readonly Link[] {
  return entriesOf(value).flatMap(([name, item]) => {
    const link = references.object(item);
    if (link === undefined) return [];
    return [
      {
        name,
        operationId: textOf(own(link, "operationId")),
        operationRef: textOf(own(link, "operationRef")),
        parameters: new Map(entriesOf(own(link, "parameters"))),
      },
    ];
  });
}
