import type { RecordedAnswer, RecordedAuth, RecordedBody, RecordedCall, Recording } from "../recorded-call.ts";
import { listOf, membersOf, pairsOf, parseBody, textOf, type Members } from "./json-text.ts";
import { isSecretName } from "../infer/secrets.ts";
import { bodyOf, lostOf, lowered, urlParts } from "./to-call.ts";

const MOST_CALLS = 500;
/** The server URL that is used if the URL of a Postman request begins with a variable that has no value. */
const UNKNOWN_ORIGIN = "http://127.0.0.1:3000";

/**
 * Returns the requests of a Postman collection (v2.0 or v2.1) in the order in which Postman runs them. Returns `undefined` if the document is not a
 * collection.
 */
export function parsePostman(document: unknown, name: string): Recording | undefined {
  const collection = membersOf(membersOf(document)["collection"] ?? document);
  const { info, item, auth, variable } = collection;
  if (!Array.isArray(item) || typeof info !== "object") return undefined;
  const values = new Map(pairsOf(variable, "key"));
  const notes: string[] = [];
  const all = [...requestsIn(item)];
  const calls = all.flatMap((one) => {
    const call = callOf(one, values);
    if (call === undefined) notes.push(`seqqa left out ${shown(one["name"])}, because it is not an HTTP request that can be sent.`);
    return call ?? [];
  });
  if (calls.length > MOST_CALLS) notes.push(`seqqa uses only the first ${MOST_CALLS} calls, and left out ${calls.length - MOST_CALLS}.`);
  return {
    name,
    title: textOf(membersOf(info)["name"]) ?? name,
    from: "postman",
    calls: calls.slice(0, MOST_CALLS),
    auth: [auth, ...all.map(({ request }) => membersOf(request)["auth"])].map(authOf).find((one) => one !== undefined),
    secrets: secretsOf(collection, values),
    notes: [...new Set(notes)].slice(0, 20),
  };
}

const shown = (name: unknown): string => JSON.stringify((textOf(name) ?? "a request without a name").slice(0, 80));

/** Yields the requests in nested folders of a collection, in order. Recursion is safe, because the depth of the document was limited before. */
function* requestsIn(items: readonly unknown[]): Iterable<Members> {
  for (const one of items.map(membersOf)) {
    if (Array.isArray(one["item"])) yield* requestsIn(one["item"]);
    else if (one["request"] !== undefined) yield one;
  }
}

function callOf(item: Members, values: ReadonlyMap<string, string>): RecordedCall | undefined {
  const request = typeof item["request"] === "string" ? { method: "GET", url: item["request"] } : membersOf(item["request"]);
  const parts = urlParts(textOf(request["method"]) ?? "GET", urlOf(request["url"], values));
  if (parts === undefined) return undefined;
  const filled = (text: string): string => fill(text, values);
  const headers = lowered(pairsOf(request["header"], "key")).map(([header, value]) => [header, filled(value)] as const);
  return {
    ...parts,
    headers,
    body: bodyIn(membersOf(request["body"]), headers.find(([header]) => header === "content-type")?.[1], filled),
    lost: lostIn(membersOf(request["body"])),
    answer: answerOf(listOf(item["response"]).map(membersOf)),
    name: textOf(item["name"]),
    sets: settersOf(item["event"]),
  };
}

/** Replaces variables such as `{{name}}` with values that the collection contains. Other variables are kept, since a recorded answer may set them. */
function fill(text: string, values: ReadonlyMap<string, string>): string {
  let filled = text;
  // The value of a variable may contain other variables. The number of rounds is limited, in case two variables contain each other.
  for (let depth = 0; depth < 5 && filled.includes("{{"); depth++) {
    filled = filled.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, name: string) => {
      const value = values.get(name.trim());
      return value === undefined || value === "" || value.length > 10_000 ? whole : value;
    });
    if (filled.length > 1_000_000) return text;
  }
  return filled;
}

function urlOf(url: unknown, values: ReadonlyMap<string, string>): string {
  const { raw, variable } = membersOf(url);
  const parameters = new Map(pairsOf(variable, "key"));
  const written = fill(textOf(url) ?? textOf(raw) ?? "", values)
    // The variable at the beginning is the server. Its value is in a Postman environment, and environments are not part of a collection.
    .replace(/^\{\{[^{}]+\}\}/, UNKNOWN_ORIGIN)
    .replace(/^(?!https?:\/\/)(?=[\w.-]+(?::\d+)?\/)/i, "http://");
  const named = written.replaceAll(/(?<=\/):([\w-]+)/g, (_, name: string) => {
    const value = fill(parameters.get(name) ?? "", values);
    return value === "" ? `{{${name}}}` : encodeURIComponent(value).replaceAll("%7B", "{").replaceAll("%7D", "}");
  });
  return named;
}

function bodyIn(body: Members, type: string | undefined, filled: (text: string) => string): RecordedBody | undefined {
  const { mode, raw, urlencoded, formdata, options } = body;
  const fields = (list: unknown) =>
    pairsOf(
      listOf(list).filter((one) => !isFile(one)),
      "key",
    ).map(([name, value]) => [name, filled(value)] as const);
  if (mode === "urlencoded") return bodyOf("application/x-www-form-urlencoded", undefined, fields(urlencoded));
  if (mode === "formdata") return bodyOf("multipart/form-data", undefined, fields(formdata));
  if (mode === "graphql") {
    const { query, variables, operationName } = membersOf(body["graphql"]);
    const given = parseBody(withQuotedVariables(filled(textOf(variables) ?? "")));
    const named = textOf(operationName);
    const value = {
      query: filled(textOf(query) ?? ""),
      ...(given !== undefined && { variables: given }),
      ...(named !== undefined && { operationName: named }),
    };
    return { as: "json", mediaType: "application/json", value };
  }
  if (mode !== "raw") return undefined;
  const language = membersOf(membersOf(options)["raw"])["language"];
  return bodyOf(type ?? (language === "json" ? "application/json" : ""), withQuotedVariables(filled(textOf(raw) ?? "")), []);
}

const isFile = (field: unknown): boolean => membersOf(field)["type"] === "file";

/** Names the files of a body, which are not part of a collection. */
function lostIn({ mode, formdata, file, disabled }: Members): string | undefined {
  if (disabled === true) return undefined;
  if (mode === "file") return Object.keys(membersOf(file)).length === 0 ? undefined : lostOf([], "file");
  const files =
    mode === "formdata"
      ? listOf(formdata)
          .map(membersOf)
          .filter((one) => isFile(one) && one["disabled"] !== true)
      : [];
  return lostOf(
    files.map(({ key }) => textOf(key) ?? ""),
    undefined,
  );
}

/**
 * Puts quotes around the variables outside of strings (`{"id": {{id}}}`), so that the text becomes valid JSON. Returns other texts unchanged.
 */
function withQuotedVariables(text: string): string {
  const quoted = text.replaceAll(/"(?:[^"\\]|\\[^])*"?|\{\{[^{}"]+\}\}/g, (part) => (part.startsWith('"') ? part : `"${part}"`));
  return parseBody(quoted) === undefined ? text : quoted;
}

/** Returns the first saved example answer with a status below 400. If there is none, returns the first example. */
function answerOf(examples: readonly Members[]): RecordedAnswer | undefined {
  const codes = examples.filter(({ code }) => typeof code === "number" && Number.isInteger(code) && code >= 100 && code < 600);
  const best = codes.find(({ code }) => (code as number) < 400) ?? codes[0];
  if (best === undefined) return undefined;
  const headers = lowered(pairsOf(best["header"], "key"));
  const header = (name: string): string | undefined => headers.find(([one]) => one === name)?.[1];
  return {
    status: best["code"] as number,
    body: parseBody(textOf(best["body"])),
    location: header("location"),
    setsCookie: header("set-cookie") !== undefined,
  };
}

const SETTER =
  /pm\.(?:environment|collectionVariables|globals|variables)\.set\(\s*["'`]([\w.-]{1,80})["'`]\s*,\s*([\w.$()[\]"'?]{1,200}?)\s*\)\s*;?\s*$/;

/**
 * Returns the variables that Postman's test scripts set from the answer, as in `pm.environment.set("id", pm.response.json().data.id)`. Each has its
 * path in the JSON body.
 */
function settersOf(events: unknown): ReadonlyMap<string, readonly (string | number)[]> {
  const lines = listOf(events)
    .map(membersOf)
    .filter(({ listen }) => listen === "test")
    .flatMap(({ script }) => listOf(membersOf(script)["exec"]))
    .flatMap((line) => textOf(line)?.slice(0, 1000) ?? []);
  return new Map(
    lines.flatMap((line) => {
      const [, key, expression] = SETTER.exec(line) ?? [];
      const path = expression === undefined ? undefined : pathIn(expression);
      return key === undefined || path === undefined ? [] : [[key, path] as const];
    }),
  );
}

/**
 * Returns the path in the JSON body that a JavaScript expression such as `body.data.id` reads. The expression starts with a variable, or with the
 * call that parses the answer.
 */
function pathIn(expression: string): readonly (string | number)[] | undefined {
  const rest =
    /^(?:pm\.response\.json\(\)|JSON\.parse\(responseBody\)|[A-Za-z_$][\w$]*)((?:\??\.[A-Za-z_$][\w$]*|\[(?:\d{1,4}|"[^"]*"|'[^']*')\])+)$/.exec(
      expression,
    )?.[1];
  if (rest === undefined) return undefined;
  return [...rest.matchAll(/\.([A-Za-z_$][\w$]*)|\[(?:(\d+)|["']([^"']*)["'])\]/g)].map(([, name, index, text]) =>
    index === undefined ? (name ?? text)! : Number(index),
  );
}

/** Returns the values of secret variables, and the credentials of the collection, its folders and its requests. */
function secretsOf(collection: Members, values: ReadonlyMap<string, string>): readonly string[] {
  const secrets = listOf(collection["variable"])
    .map(membersOf)
    .flatMap(({ key, type, value }) => (type === "secret" || isSecretName(textOf(key) ?? "") ? (textOf(value) ?? []) : []));
  const auths = [...authsIn([collection])].map(membersOf);
  // The details of an authentication are a list of pairs in Postman v2.1, and an object in v2.0.
  const details = auths
    .flatMap((auth) => Object.values(auth))
    .flatMap((of): readonly (readonly [string, unknown])[] => (Array.isArray(of) ? pairsOf(of, "key") : Object.entries(membersOf(of))));
  const credentials = details.flatMap(([name, value]) =>
    name === "value" || /\wkey$/i.test(name) || isSecretName(name) ? (textOf(value) ?? []) : [],
  );
  return [...new Set([...secrets, ...credentials].map((one) => fill(one, values)))];
}

function* authsIn(items: readonly unknown[]): Iterable<unknown> {
  for (const { auth, request, item } of items.map(membersOf)) {
    yield auth;
    yield membersOf(request)["auth"];
    yield* authsIn(listOf(item));
  }
}

function authOf(auth: unknown): RecordedAuth | undefined {
  const { type, apikey } = membersOf(auth);
  if (type === "bearer" || type === "oauth2") return { kind: "bearer" };
  if (type === "basic") return { kind: "basic" };
  if (type !== "apikey") return undefined;
  // An API key is a list of pairs in Postman v2.1, and an object in v2.0.
  const pairs = Array.isArray(apikey) ? Object.fromEntries(pairsOf(apikey, "key")) : membersOf(apikey);
  const name = textOf(pairs["key"]);
  return name === undefined || name === "" ? undefined : { kind: "apiKey", in: pairs["in"] === "query" ? "query" : "header", name };
}
