import { isPlain, own, textOf, type Plain } from "./parse/plain.ts";
import { problem, quoted } from "./problem.ts";

/**
 * Returns the OpenAPI version that a document declares, for example `2.0` or `3.0.3`.
 * @throws SeqqaError `DESCRIPTION_NOT_OPENAPI`, which names the format of the document if it is known
 */
export function specificationOf(document: Plain, name: string): string {
  const version = versionText(own(document, "openapi")) ?? versionText(own(document, "swagger"));
  if (version !== undefined && /^(2\.0|3\.\d+)(\D|$)/.test(version)) return version;
  if (version !== undefined) {
    throw problem(
      "DESCRIPTION_NOT_OPENAPI",
      `${name} is written in version ${quoted(version)} of OpenAPI, which seqqa cannot read.`,
      "Convert the description to OpenAPI 3.0 or 3.1. seqqa reads the versions 2.0, 3.0 and 3.1.",
    );
  }
  const [what, hint] = otherFormat(document) ?? [
    'has neither "openapi" nor "swagger" at its top',
    'A description begins with a line such as "openapi: 3.1.0".',
  ];
  throw problem("DESCRIPTION_NOT_OPENAPI", `${name} ${what}, so it is not an OpenAPI description.`, hint);
}

/** Converts a version to text. YAML reads an unquoted `2.0` as the number 2, so `.0` is added to whole numbers. */
function versionText(value: unknown): string | undefined {
  const text = textOf(value)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? `${text}.0` : text;
}

function otherFormat(document: Plain): readonly [what: string, hint: string] | undefined {
  const info = own(document, "info");
  const data = own(document, "data");
  const export_ = "Export the API as OpenAPI from the program that wrote this file, or convert the file to OpenAPI.";
  if (Object.hasOwn(document, "asyncapi"))
    return ["is an AsyncAPI document", "AsyncAPI describes messages; give the description of the HTTP API."];
  if (isPlain(info) && (Object.hasOwn(info, "_postman_id") || /getpostman/.test(textOf(own(info, "schema")) ?? "")))
    return ["is a Postman collection", export_];
  if (Object.hasOwn(document, "_type") && Object.hasOwn(document, "resources")) return ["is an export of Insomnia", export_];
  if (Object.hasOwn(document, "swaggerVersion")) return ["is written in Swagger 1", "Convert it to OpenAPI 3 first."];
  if (isPlain(own(document, "log")) && Array.isArray(own(own(document, "log") as Plain, "entries"))) return ["is a HAR recording", export_];
  if (Object.hasOwn(document, "__schema") || (isPlain(data) && Object.hasOwn(data, "__schema"))) {
    return ["is the introspection result of a GraphQL API", "Use `seqqa scaffold graphql` with this file."];
  }
  if (Object.hasOwn(document, "openrpc")) return ["is an OpenRPC document", "Give an OpenAPI description; seqqa does not read OpenRPC."];
  if (Object.hasOwn(document, "$schema") && Object.hasOwn(document, "properties"))
    return ["is a JSON Schema", "Give the OpenAPI description that uses this schema."];
  return undefined;
}
