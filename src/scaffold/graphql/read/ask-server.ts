import { getIntrospectionQuery } from "graphql";
import { fetch as undiciFetch, type Response } from "undici";
import { connections } from "../../../openapi/read/connections.ts";
import { decodeText } from "../../../openapi/read/decode-text.ts";
import { percentDecoded } from "../../../openapi/parse/percent-decoded.ts";
import { problem, quoted } from "../../../openapi/problem.ts";
import { MOST_BYTES, tooLarge } from "../../../openapi/read/read-file.ts";
import { explained, TIME } from "../../../openapi/read/read-url.ts";
import { shownUrl } from "../../../openapi/read/source.ts";

/** A function that sends one POST request. Only tests replace the default, which uses the configured proxies and certificates. */
export type Ask = (
  url: URL,
  options: { readonly body: string; readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
) => Promise<Pick<Response, "status" | "body"> & { readonly headers: { get(name: string): string | null } }>;

/** GraphQL introspection queries, from newest to oldest. Older servers reject fields and arguments that they do not know. */
const QUERIES = [
  getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true, oneOf: true }),
  getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true }),
  getIntrospectionQuery(),
];

/**
 * Asks a GraphQL server for its schema. Returns the answer as text.
 * @throws SeqqaError `INTROSPECTION_REFUSED`, `DESCRIPTION_NOT_FOUND`, `DESCRIPTION_NOT_GRAPHQL`, `DESCRIPTION_UNREADABLE`, `DESCRIPTION_TOO_LARGE`
 */
export async function askServer(url: URL, ask?: Ask): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const warnings =
    url.search === ""
      ? []
      : [
          "The query string of the endpoint's URL may contain a secret, so seqqa does not write it to files. Add it to the URL in the `world` of the exploration.",
        ];
  if (ask !== undefined) return { text: await askInTurn(url, ask), warnings };
  const dispatcher = connections();
  try {
    const send: Ask = async (to, options) => undiciFetch(to, { ...options, method: "POST", dispatcher, redirect: "manual" });
    return { text: await askInTurn(url, send), warnings };
  } finally {
    await dispatcher.destroy();
  }
}

async function askInTurn(url: URL, ask: Ask): Promise<string> {
  const signal = AbortSignal.timeout(TIME);
  const name = shownUrl(url);
  const { username, password } = url;
  const to = new URL(url);
  to.username = to.password = "";
  const credentials = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const headers = {
    "content-type": "application/json",
    accept: "application/graphql-response+json, application/json",
    ...(username === "" && password === "" ? {} : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
  };
  let refusal: string | undefined;
  try {
    for (const query of QUERIES) {
      const answer = await ask(to, { body: JSON.stringify({ query, operationName: "IntrospectionQuery" }), signal, headers });
      const text = await textOf(answer, name);
      const said = reading(text);
      if (said.kind === "schema") return text;
      if (said.kind === "other") throw unexpected(answer, name);
      refusal ??= said.message;
      // Try the next older query only if the server rejected a field or argument of this query as unknown.
      if (
        !/oneOf|isOneOf|specifiedBy|includeDeprecated|isDeprecated|deprecationReason|unknown (?:argument|field)|cannot query field/i.test(
          said.message,
        )
      )
        break;
      refusal = said.message;
    }
  } catch (error) {
    throw explained(error, name, signal);
  }
  throw problem(
    "INTROSPECTION_REFUSED",
    `${name} refuses to return its schema: ${quoted(refusal ?? "")}.`,
    "Allow introspection on the server that you test, or give a file with the schema in SDL or the result of an introspection.",
  );
}

async function textOf(answer: Awaited<ReturnType<Ask>>, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    if ((bytes += chunk.length) > MOST_BYTES) throw tooLarge(name);
    chunks.push(chunk);
  }
  return decodeText(Buffer.concat(chunks), name);
}

type Said = { readonly kind: "schema" } | { readonly kind: "refused"; readonly message: string } | { readonly kind: "other" };

function reading(text: string): Said {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "other" };
  }
  const { data, errors } = (value ?? {}) as { readonly data?: { readonly __schema?: unknown } | null; readonly errors?: unknown };
  if (data?.__schema !== undefined && data.__schema !== null) return { kind: "schema" };
  if (!Array.isArray(errors) || errors.length === 0) {
    return typeof data === "object" ? { kind: "refused", message: "its answer contains no schema" } : { kind: "other" };
  }
  const { message } = (errors[0] ?? {}) as { readonly message?: unknown };
  return { kind: "refused", message: typeof message === "string" ? message : "the server gives no reason" };
}

function unexpected({ status, headers }: Awaited<ReturnType<Ask>>, name: string): Error {
  if (status >= 300 && status < 400) {
    const to = headers.get("location") ?? "";
    return problem(
      "DESCRIPTION_NOT_GRAPHQL",
      `${name} redirects to ${quoted(to)}, but seqqa does not follow redirects of an endpoint.`,
      "Give the URL to which the endpoint redirects.",
    );
  }
  if (status === 401 || status === 403) {
    return problem(
      "INTROSPECTION_REFUSED",
      `${name} answered the introspection query with status ${status}.`,
      "Give a file with the schema in SDL or the result of an introspection.",
    );
  }
  const hint = "Give the URL of a GraphQL endpoint, or the schema as a file.";
  return problem("DESCRIPTION_NOT_GRAPHQL", `${name} answered the introspection query with status ${status} and no GraphQL answer.`, hint);
}
