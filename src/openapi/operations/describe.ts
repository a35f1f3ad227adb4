import type { ApiDescription } from "./description.ts";
import { checkSize } from "../read/check-size.ts";
import { Resolver } from "../normalise/resolver.ts";
import { normalise } from "../normalise/normalise.ts";
import { operationsOf } from "./operations.ts";
import { isPlain, own, textOf, type Plain } from "../parse/plain.ts";
import { problem } from "../problem.ts";
import { References } from "../normalise/references.ts";
import { securitySchemesOf } from "./security.ts";
import { serversOf } from "./servers.ts";
import { specificationOf } from "../specification.ts";
import { movedRef } from "../normalise/version-2.ts";
import { Warnings } from "../warnings.ts";

/**
 * Describes a parsed OpenAPI document without changing the document. A `$ref` to another file is not resolved.
 * @throws SeqqaError `DESCRIPTION_NOT_OPENAPI`, `DESCRIPTION_EMPTY`, `DESCRIPTION_TOO_LARGE`; exit status 2.
 */
export function describe(document: unknown, name = "the description"): ApiDescription {
  if (!isPlain(document)) throw problem("DESCRIPTION_NOT_OPENAPI", `${name} is not an object, so it is not an OpenAPI description.`);
  checkSize(document, name);
  return describeOwn(copied(document, name), name, undefined, new Warnings());
}

/**
 * Describes a parsed OpenAPI document and converts the document to version 3.1 in place.
 * @param from The URL from which the document was read.
 */
export function describeOwn(document: Plain, name: string, from: URL | undefined, warnings: Warnings): ApiDescription {
  const specification = specificationOf(document, name);
  if (/^3\.([2-9]|\d\d)/.test(specification))
    warnings.add("/openapi", `seqqa reads OpenAPI ${specification} as version 3.1 and may ignore newer features`);
  const references = new References(document, specification.startsWith("2.") ? movedRef : undefined);
  normalise(document, specification, references, warnings);
  const operations = operationsOf(document, references, warnings);
  if (operations.length === 0) {
    throw problem(
      "DESCRIPTION_EMPTY",
      `${name} has no operations, so seqqa cannot use it as an API description.`,
      'Add operations under "paths", for example "/orders": { "get": { ... } }.',
    );
  }
  const info = own(document, "info");
  const resolver = new Resolver(references);
  return {
    title: (isPlain(info) ? textOf(own(info, "title")) : undefined) ?? "",
    version: (isPlain(info) ? textOf(own(info, "version")) : undefined) ?? "",
    specification,
    servers: serversOf(document, from, warnings),
    operations,
    securitySchemes: securitySchemesOf(document, references, warnings),
    warnings: warnings.list(),
    resolve: (schema) => resolver.resolve(schema),
    document,
  };
}

function copied(document: Plain, name: string): Plain {
  try {
    return structuredClone(document);
  } catch {
    throw problem(
      "DESCRIPTION_NOT_OPENAPI",
      `${name} contains functions or other values that JSON does not have, so it is not an OpenAPI description.`,
      "Pass the object that JSON.parse returns for the description.",
    );
  }
}
