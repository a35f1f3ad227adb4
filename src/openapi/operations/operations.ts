import { bodyOf, mediaOf } from "./bodies.ts";
import type { HttpMethod, Operation, DescribedResponse, Link, Schema } from "./description.ts";
import { parametersOf, schemaOf } from "./parameters.ts";
import { entriesOf, isPlain, listOf, own, textOf, type Plain } from "../parse/plain.ts";
import { step } from "../parse/pointer.ts";
import { quoted } from "../problem.ts";
import type { References } from "../normalise/references.ts";
import { securityOf } from "./security.ts";
import { serverUrls } from "./servers.ts";
import type { Warnings } from "../warnings.ts";

const METHODS: ReadonlySet<string> = new Set<HttpMethod>(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

export function operationsOf(document: Plain, references: References, warnings: Warnings): readonly Operation[] {
  const paths = own(document, "paths");
  if (paths !== undefined && !isPlain(paths)) warnings.add("/paths", '"paths" is not a map, and is left out');
  return entriesOf(paths).flatMap(([path, item]) => {
    if (path.startsWith("x-")) return [];
    const pointer = `/paths${step(path)}`;
    const found = references.object(item);
    if (found === undefined) {
      warnings.add(pointer, "A path is not a map of operations, and is left out");
      return [];
    }
    return Object.entries(found).flatMap(([key, operation]) => {
      const method = key.toLowerCase();
      if (!METHODS.has(method)) return [];
      if (isPlain(operation))
        return [
          operationOf({
            method: method as HttpMethod,
            path,
            pointer: pointer + step(key),
            operation,
            item: found,
            document,
            references,
            warnings,
          }),
        ];
      warnings.add(pointer + step(key), "An operation is not a map, and is left out");
      return [];
    });
  });
}

interface Found {
  readonly method: HttpMethod;
  readonly path: string;
  readonly pointer: string;
  readonly operation: Plain;
  readonly item: Plain;
  readonly document: Plain;
  readonly references: References;
  readonly warnings: Warnings;
}

function operationOf(found: Found): Operation {
  const { method, path, pointer, operation, item, document, references, warnings } = found;
  if (!path.startsWith("/")) warnings.add(pointer, `The path ${quoted(path)} does not begin with a slash, so seqqa adds one`);
  const template = path.startsWith("/") ? path : `/${path}`;
  const servers = serverUrls(own(operation, "servers") ?? own(item, "servers"));
  return {
    method,
    path: template,
    id: textOf(own(operation, "operationId")),
    tags: listOf(own(operation, "tags")).filter((tag) => typeof tag === "string"),
    summary: textOf(own(operation, "summary")),
    description: textOf(own(operation, "description")),
    deprecated: own(operation, "deprecated") === true,
    parameters: parametersOf({ template, pointer, lists: [own(item, "parameters"), own(operation, "parameters")], references, warnings }),
    body: bodyOf(own(operation, "requestBody"), references),
    responses: responsesOf(own(operation, "responses"), references, warnings, `${pointer}/responses`),
    security: securityOf(own(operation, "security") ?? own(document, "security")),
    pointer,
    ...(servers.length > 0 && { servers }),
  };
}

function responsesOf(value: unknown, references: References, warnings: Warnings, pointer: string): readonly DescribedResponse[] {
  const found = new Map<string, DescribedResponse>();
  for (const [key, item] of entriesOf(value)) {
    if (key.startsWith("x-")) continue;
    const status = key.toLowerCase() === "default" ? "default" : key.toUpperCase();
    const response = references.object(item);
    if (response === undefined || !/^(default|[1-5](\d\d|XX))$/.test(status)) {
      warnings.add(pointer, `The answer ${quoted(key)} is not valid, and is left out`);
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
