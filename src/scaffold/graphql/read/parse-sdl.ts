import { buildASTSchema, GraphQLError, Kind, parse, type DefinitionNode, type DocumentNode, type GraphQLSchema } from "graphql";
import { validateSDL } from "graphql/validation/validate.js";
import { problem, quoted } from "../../../openapi/problem.ts";
import { openapiInstead } from "./openapi-instead.ts";

/** Maps each kind of GraphQL extension (`extend type`) to the kind of definition that it extends (`type`). */
const EXTENSIONS = new Map<string, Kind>([
  [Kind.OBJECT_TYPE_EXTENSION, Kind.OBJECT_TYPE_DEFINITION],
  [Kind.INTERFACE_TYPE_EXTENSION, Kind.INTERFACE_TYPE_DEFINITION],
  [Kind.UNION_TYPE_EXTENSION, Kind.UNION_TYPE_DEFINITION],
  [Kind.ENUM_TYPE_EXTENSION, Kind.ENUM_TYPE_DEFINITION],
  [Kind.INPUT_OBJECT_TYPE_EXTENSION, Kind.INPUT_OBJECT_TYPE_DEFINITION],
  [Kind.SCALAR_TYPE_EXTENSION, Kind.SCALAR_TYPE_DEFINITION],
]);

/** Matches the beginning of most OpenAPI descriptions in YAML, to recognise a file of the wrong kind. */
const OPENAPI = /^(?:---|\s|#.*\n)*["']?(?:openapi|swagger)["']?\s*:/;

/**
 * Parses a GraphQL schema in SDL, GraphQL's schema language.
 * @throws SeqqaError `DESCRIPTION_SYNTAX`, `DESCRIPTION_NOT_GRAPHQL`
 */
export function parseSdl(text: string, name: string): { readonly schema: GraphQLSchema; readonly warnings: readonly string[] } {
  const document = completed(parsed(text, name));
  if (!document.definitions.some(({ kind }) => /TypeDefinition$|^SchemaDefinition$/.test(kind))) throw notGraphql(document, name);
  const errors = validateSDL(document);
  // Errors about directives are not fatal, because seqqa does not use directives, and because directives are often declared in another file.
  const fatal = errors.find(
    ({ message }) => !message.startsWith("Unknown directive ") && !/^Directive ".*may not be used on/.test(message),
  );
  if (fatal !== undefined) throw syntax(fatal, name);
  const unknown = [
    ...new Set(errors.map(({ message }) => /^Unknown directive ("[^"]*")/.exec(message)?.[1]).filter((one) => one !== undefined)),
  ];
  try {
    return {
      schema: buildASTSchema(document, { assumeValidSDL: true }),
      warnings:
        unknown.length === 0
          ? []
          : [`seqqa left out directives that the schema does not declare: ${quoted(unknown.join(", ").replaceAll('"', ""))}.`],
    };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw syntax(error, name);
  }
}

function parsed(text: string, name: string): DocumentNode {
  try {
    return parse(text, { allowLegacyFragmentVariables: false });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw OPENAPI.test(text) ? openapiInstead(name) : syntax(error, name);
  }
}

/**
 * Turns an extension such as `extend type Query` into a definition if the type is not defined here. The definition of the type may be in another
 * file.
 */
function completed(document: DocumentNode): DocumentNode {
  const defined = new Set(document.definitions.flatMap((one) => (one.kind.endsWith("TypeDefinition") ? nameOf(one) : [])));
  const definitions = document.definitions.map((one): DefinitionNode => {
    const kind = EXTENSIONS.get(one.kind);
    const [name] = nameOf(one);
    if (kind === undefined || name === undefined || defined.has(name)) return one;
    defined.add(name);
    return { ...one, kind } as DefinitionNode;
  });
  return { ...document, definitions };
}

function nameOf(node: DefinitionNode): readonly string[] {
  return "name" in node && node.name !== undefined ? [node.name.value] : [];
}

function notGraphql({ definitions }: DocumentNode, name: string): Error {
  const executable = definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION);
  const what = executable ? "contains queries of a client, but no schema" : "defines no types";
  return problem(
    "DESCRIPTION_NOT_GRAPHQL",
    `${name} ${what}.`,
    "Give the schema of the server, in SDL or as the result of an introspection.",
  );
}

function syntax(error: unknown, name: string): Error {
  if (!(error instanceof GraphQLError)) {
    return problem(
      "DESCRIPTION_SYNTAX",
      `${name} is not a valid GraphQL schema: ${quoted(error instanceof Error ? error.message : String(error))}.`,
    );
  }
  const { line, column } = error.locations?.[0] ?? {};
  const place = line === undefined ? name : `${name}:${line}:${column}`;
  return problem("DESCRIPTION_SYNTAX", `${place} is not a valid GraphQL schema: ${quoted(error.message)}.`, undefined, error);
}
