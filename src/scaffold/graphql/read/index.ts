import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { validateSchema, type GraphQLError, type GraphQLSchema } from "graphql";
import { SeqqaError } from "../../../model/errors.ts";
import { problem, quoted } from "../../../openapi/problem.ts";
import { readFile } from "../../../openapi/read/read-file.ts";
import { shownUrl } from "../../../openapi/read/source.ts";
import { askServer, type Ask } from "./ask-server.ts";
import { parseIntrospection } from "./parse-introspection.ts";
import { parseSdl } from "./parse-sdl.ts";

export interface ReadSchema {
  readonly schema: GraphQLSchema;
  readonly title: string;
  /** The URL of the GraphQL server without a path. `undefined` if the schema was read from a file. */
  readonly baseUrl: string | undefined;
  /** The path of the GraphQL endpoint on the server, for example `/graphql`. If the schema was read from a file, the path is `/graphql`. */
  readonly path: string;
  readonly warnings: readonly string[];
}

const MOST_WARNINGS = 20;

/**
 * Reads a GraphQL schema: from a file in SDL (GraphQL's schema language), from a file with an introspection result, or from a running server.
 * @param source A path, or the URL of an endpoint.
 * @throws SeqqaError exit status 2: `DESCRIPTION_NOT_FOUND`, `DESCRIPTION_UNREADABLE`, `DESCRIPTION_TOO_LARGE`, `DESCRIPTION_SYNTAX` with line and
 * column, `DESCRIPTION_NOT_GRAPHQL`, `INTROSPECTION_REFUSED`
 */
export async function readSchema(source: string, options: { readonly cwd: string; readonly ask?: Ask }): Promise<ReadSchema> {
  const url = /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source) : undefined;
  if (url !== undefined) {
    const { text, warnings } = await askServer(url, options.ask);
    const { schema } = shallow(shownUrl(url), () => parseIntrospection(text, shownUrl(url)));
    return { schema, title: url.hostname, baseUrl: url.origin, path: url.pathname, warnings: [...warnings, ...problemsOf(schema)] };
  }
  const { text, name } = await readText(source, options.cwd);
  const { schema, warnings } = shallow(name, () => (/^\s*[{[]/.test(text) ? parseIntrospection(text, name) : parseSdl(text, name)));
  const title = name
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:graphqls?|gql|json|sdl)$/i, "");
  return { schema, title, baseUrl: undefined, path: "/graphql", warnings: [...warnings, ...problemsOf(schema)] };
}

async function readText(source: string, cwd: string): Promise<{ readonly text: string; readonly name: string }> {
  try {
    return await readFile(/^file:\/\//i.test(source) ? fileURLToPath(source) : resolve(cwd, source), cwd);
  } catch (error) {
    if (!(error instanceof SeqqaError) || error.code !== "DESCRIPTION_NOT_FOUND") throw error;
    throw problem("DESCRIPTION_NOT_FOUND", error.message, "Give a file with a GraphQL schema, or the URL of the endpoint.");
  }
}

/**
 * Converts a stack overflow in `read` into an error that says that the schema is nested too deeply. The parser of the package `graphql` is recursive.
 */
function shallow<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw problem(
      "DESCRIPTION_TOO_LARGE",
      `seqqa cannot read ${name}, because its values are nested too deeply.`,
      "Check the program that wrote this file: a GraphQL schema does not need such deep nesting.",
    );
  }
}

/** Returns the errors in a GraphQL schema as warnings. Such errors are not fatal, because the valid parts of the schema can still be used. */
function problemsOf(schema: GraphQLSchema): readonly string[] {
  const found = validateSchema(schema).filter(({ message }) => !message.startsWith("Query root type must be provided"));
  const shown = found.slice(0, MOST_WARNINGS).map((error) => `The schema is not valid${placeOf(error)}: ${quoted(error.message)}.`);
  return found.length > shown.length ? [...shown, `The schema is not valid in ${found.length - shown.length} more places.`] : shown;
}

const placeOf = ({ locations }: GraphQLError): string =>
  locations?.[0] === undefined ? "" : ` at line ${locations[0].line}, column ${locations[0].column}`;
