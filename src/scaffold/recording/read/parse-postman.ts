import type { RecordedAnswer, RecordedAuth, RecordedBody, RecordedCall, Recording } from "../recorded-call.ts";
import { mostCalled } from "./choose-calls.ts";
import { listOf, membersOf, pairsOf, parseBody, textOf, type Members } from "./json-text.ts";
import { isSecretName } from "../infer/secrets.ts";
import { bodyOf, lostOf, lowered, urlParts } from "./to-call.ts";

const MOST_CALLS = 500;
/** The server URL that is used if the server of a Postman request is a variable without a value. */
const UNKNOWN_ORIGIN = "http://127.0.0.1:3000";
/** Fixed values for Postman's dynamic variables. Other dynamic variables get random values in `plan-values.ts`. */
const DYNAMIC: readonly (readonly [name: string, value: string])[] = [
  ["$randomInt", "7"],
  ["$randomPrice", "9.99"],
  ["$randomBoolean", "true"],
  ["$timestamp", "1767225600"],
  ["$isoTimestamp", "2026-01-01T00:00:00.000Z"],
  ["$randomDatePast", "2025-07-01T00:00:00.000Z"],
  ["$randomDateRecent", "2026-01-01T00:00:00.000Z"],
  ["$randomDateFuture", "2099-01-01T00:00:00.000Z"],
  ["$randomLatitude", "52.52"],
  ["$randomLongitude", "13.405"],
  ["$randomIP", "192.0.2.1"],
  ["$randomUrl", "https://example.com"],
  ["$randomDomainName", "example.com"],
  ["$randomCountryCode", "DE"],
  ["$randomCurrencyCode", "EUR"],
  ["$randomLocale", "en"],
];

/** The values of the variables of a Postman collection. */
interface Variables {
  readonly all: ReadonlyMap<string, string>;
  /**
   * The variables that no script sets. Variables that a script sets from an answer are left out, because their values in the collection may be old.
   */
  readonly fixed: ReadonlyMap<string, string>;
}

/** A request of a collection. `auth` is the authentication of the request, or else of the nearest folder that declares one. */
interface Found {
  readonly item: Members;
  readonly auth: unknown;
}

/**
 * Returns the requests of a Postman collection (v2.0 or v2.1) in the order in which Postman runs them. Only requests to the server that receives most
 * requests are returned. Returns `undefined` if the document is not a collection.
 */
export function parsePostman(document: unknown, name: string): Recording | undefined {
  const collection = membersOf(membersOf(document)["collection"] ?? document);
  const { info, item, variable } = collection;
  if (!Array.isArray(item) || typeof info !== "object") return undefined;
  const all = new Map([...DYNAMIC, ...pairsOf(variable, "key")]);
  const set = new Set(namesSetIn([collection]));
  const variables: Variables = { all, fixed: new Map([...all].filter(([one]) => !set.has(one))) };
  const notes: string[] = [];
  const leave = (one: Members, why: string): false => {
    notes.push(`seqqa left out ${shown(one["name"])}, because it is ${why}.`);
    return false;
  };
  const found = [...requestsIn([collection], undefined)].flatMap((one) => {
    const read = callOf(one, variables);
    if (read === undefined) leave(one.item, "not an HTTP request that can be sent");
    return read === undefined ? [] : { ...one, ...read };
  });
  const most = mostCalled(found.map(({ server, call }) => [server, call.method !== "get" || call.answer?.body !== undefined]));
  const own = found.filter(
    (one) => one.server === most || leave(one.item, `sent to ${plain(one.server)}, and most requests are sent to ${plain(most!)}`),
  );
  const calls = own.slice(0, MOST_CALLS).map(({ call }) => call);
  if (JSON.stringify(item).includes("pm.sendRequest(") || JSON.stringify(collection["event"] ?? "").includes("pm.sendRequest("))
    notes.push("seqqa left out the requests that scripts send with pm.sendRequest.");
  if (own.length > MOST_CALLS) notes.push(`seqqa uses only the first ${MOST_CALLS} calls, and left out ${own.length - MOST_CALLS}.`);
  return {
    name,
    title: textOf(membersOf(info)["name"]) ?? name,
    from: "postman",
    calls,
    auth: mostUsed(own.flatMap(({ call }) => call.auth ?? [])),
    secrets: secretsOf(collection, variables.all),
    notes: [...new Set(notes)].slice(0, 20),
  };
}

const shown = (name: unknown): string => JSON.stringify((textOf(name) ?? "a request without a name").slice(0, 80));
const plain = (server: string): string => server.slice(0, 80);

/** Yields the requests in nested folders, in order. Recursion is safe, because the depth of the document was limited before. */
function* requestsIn(items: readonly unknown[], inherited: unknown): Iterable<Found> {
  for (const one of items.map(membersOf)) {
    if (Array.isArray(one["item"])) yield* requestsIn(one["item"], one["auth"] ?? inherited);
    else if (one["request"] !== undefined) yield { item: one, auth: membersOf(one["request"])["auth"] ?? inherited };
  }
}

function callOf({ item, auth }: Found, variables: Variables): { readonly call: RecordedCall; readonly server: string } | undefined {
  const request = typeof item["request"] === "string" ? { method: "GET", url: item["request"] } : membersOf(item["request"]);
  const { url, server } = urlOf(request["url"], variables);
  const parts = urlParts(textOf(request["method"]) ?? "GET", url);
  if (parts === undefined) return undefined;
  const filled = (text: string): string => fill(text, variables.fixed);
  const headers = lowered(pairsOf(request["header"], "key")).map(([header, value]) => [header, filled(value)] as const);
  const call: RecordedCall = {
    ...parts,
    headers,
    body: bodyIn(membersOf(request["body"]), headers.find(([header]) => header === "content-type")?.[1], filled),
    lost: lostIn(membersOf(request["body"])),
    answer: answerOf(listOf(item["response"]).map(membersOf)),
    name: textOf(item["name"]),
    auth: authOf(auth),
    hasAuth: !["noauth", "undefined"].includes(String(membersOf(auth)["type"])),
    ...settersOf(item["event"]),
  };
  return { call, server: server ?? call.origin };
}

/**
 * Replaces variables such as `{{name}}` with values that the collection contains. Other variables are kept, because a recorded answer may set their
 * values.
 */
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

/** Matches the part of a URL before its path: the scheme, the host and the port. Each of these parts may be a variable. */
const SERVER = /^(?:[^/?#]*:\/\/)?[^/?#]*/;

/**
 * Returns the URL of a request.
 * @returns `server`: the server with its Postman variables, if the collection does not contain their values because they are in a Postman
 * environment. The URL then begins with `UNKNOWN_ORIGIN`. Otherwise `undefined`.
 */
function urlOf(url: unknown, { all, fixed }: Variables): { readonly url: string; readonly server: string | undefined } {
  const { raw, variable } = membersOf(url);
  const text = textOf(url) ?? (textOf(raw) || joined(membersOf(url)));
  const [written] = SERVER.exec(text)!;
  const filled = fill(written, all) + fill(text.slice(written.length), fixed);
  const [start] = SERVER.exec(filled)!;
  const server = withoutCredentials(start);
  const isUnknown = server.includes("{{") && !/^(?!https?:)[a-z]+:/i.test(server);
  // In `{{base}}orders`, the value of the variable probably ends with a slash, so `orders` is the first segment of the path.
  const [, base = server, first] = /^(\{\{[^{}]+\}\})([A-Za-z_][\w-]*)$/.exec(server) ?? [];
  const known = /^[\w.-]+(?::\d+)?$/.test(server) ? `http://${server}` : server;
  const origin = isUnknown ? UNKNOWN_ORIGIN + (first === undefined ? "" : `/${first}`) : known;
  const parameters = new Map(pairsOf(variable, "key"));
  const rest = filled.slice(start.length).replaceAll(/(?<=\/):([\w-]+)/g, (_, name: string) => {
    const value = fill(parameters.get(name) ?? "", fixed);
    return value === "" ? `{{${name}}}` : encodeURIComponent(value).replaceAll("%7B", "{").replaceAll("%7D", "}");
  });
  return { url: origin + rest, server: isUnknown ? base : undefined };
}

/** Removes the user name and the password from a server URL such as `https://ada:secret@example.com`. */
const withoutCredentials = (server: string): string => server.replace(/^([^/]*\/\/)?[^/@]*@/, "$1");

/** Returns the URL of a request, joined from its scheme, host, port, path and query. Used if the collection does not contain the URL as one text. */
function joined({ protocol, host, port, path, query }: Members): string {
  const parts = (value: unknown, between: string): string =>
    textOf(value) ??
    listOf(value)
      .map((one) => textOf(one) ?? textOf(membersOf(one)["value"]) ?? "")
      .join(between);
  const [scheme, name, number] = [textOf(protocol) ?? "", parts(host, "."), typeof port === "number" ? String(port) : (textOf(port) ?? "")];
  const pairs = pairsOf(query, "key").map(([key, value]) => `${key}=${value}`.replaceAll("&", "%26").replaceAll("#", "%23"));
  const server = `${scheme === "" ? "" : `${scheme}://`}${name}${number === "" ? "" : `:${number}`}`;
  return `${server}/${parts(path, "/").replace(/^\//, "")}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
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

/** Describes the files in the body of a request. A collection does not contain the contents of files. */
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

/** Returns the first saved example answer with a status below 400. If there is no such example, returns the first example. */
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
    headers,
  };
}

/** Matches the beginning of a statement in a script that sets a variable, with its name. */
const SETS =
  /(?:pm\.(?:environment|collectionVariables|globals|variables)\.set|postman\.set(?:Environment|Global)Variable)\(\s*["'`]([^"'`]{1,80})["'`]/g;
/** Matches an expression that reads a value, with the variable or the call at its start, and the rest: `body`, `.data.id`. */
const READS =
  /(pm\.response\.json\(\)|JSON\.parse\((?:responseBody|pm\.response\.text\(\))\)|(?!pm\b|postman\b)[A-Za-z_$][\w$]{0,80})((?:\??\.[A-Za-z_$][\w$]{0,80}|(?:\?\.)?\[(?:\d{1,4}|"[^"]{0,80}"|'[^']{0,80}')\]){0,20})/;
/** Matches a statement that sets a variable. A word such as `Bearer` may be put before the value. */
const SETTER = new RegExp(
  `${SETS.source}\\s*,\\s*(?:["'](\\w{1,20}) ["']\\s*\\+\\s*|\`(\\w{1,20}) \\$\\{)?${READS.source}(?:\\}\`)?\\s*\\)`,
  "g",
);
const FROM_HEADER = new RegExp(`${SETS.source}\\s*,\\s*pm\\.response\\.headers\\.get\\(\\s*["']([\\w-]{1,80})["']`, "g");
/** Matches the declaration of a variable, or of several variables: `const { id, user: owner } = body.data;`. */
const DECLARES = new RegExp(
  `\\b(?:const|let|var)\\s+([A-Za-z_$][\\w$]{0,80}|\\{[\\w$\\s,:]{1,400}\\})\\s*=\\s*${READS.source}\\s*(?:(?:\\|\\||\\?\\?)\\s*\\{\\}\\s*)?(?:;|$|\\n)`,
  "g",
);

const linesOf = (script: unknown): readonly string[] =>
  [membersOf(script)["exec"]].flat().flatMap((line) => textOf(line)?.split("\n") ?? []);

type Path = readonly (string | number)[];

/**
 * Returns the variables that Postman's test scripts set from the answer, as in `pm.environment.set("id", pm.response.json().data.id)`. The result
 * maps each variable to the path of its value in the JSON body, and to a word that the script puts before the value.
 */
function settersOf(events: unknown): Pick<RecordedCall, "sets" | "setsFromHeaders" | "schemes"> {
  const lines = listOf(events)
    .map(membersOf)
    .filter(({ listen }) => listen === "test")
    .flatMap(({ script }) => linesOf(script));
  const code = lines
    .filter((line) => !/^\s*\/\//.test(line))
    .map((line) => line.slice(0, 1000))
    .join("\n");
  const known = new Map<string, Path>();
  for (const [, declared, start, rest] of code.matchAll(DECLARES)) {
    const path = pathIn(start!, rest!, known);
    if (!declared!.startsWith("{")) known.set(declared!, path);
    else for (const [, name, as = name] of declared!.matchAll(/([\w$]+)(?:\s*:\s*([\w$]+))?/g)) known.set(as!, [...path, name!]);
  }
  const sets = new Map<string, Path>();
  const schemes = new Map<string, string>();
  for (const [, variable, quoted, inTemplate, start, rest] of code.matchAll(SETTER)) {
    const path = pathIn(start!, rest!, known);
    if (path.length === 0) continue;
    sets.set(variable!, path);
    const scheme = quoted ?? inTemplate;
    if (scheme !== undefined) schemes.set(variable!, scheme);
  }
  const fromHeaders = [...code.matchAll(FROM_HEADER)].map(([, variable, header]) => [variable!, header!.toLowerCase()] as const);
  return { sets, setsFromHeaders: new Map(fromHeaders), schemes };
}

/** Yields the names of all variables that scripts of a collection set, from any value. */
function* namesSetIn(items: readonly unknown[]): Iterable<string> {
  for (const { event, item } of items.map(membersOf)) {
    const lines = listOf(event).flatMap((one) => linesOf(membersOf(one)["script"]));
    for (const [, name] of lines.join("\n").matchAll(SETS)) yield name!;
    yield* namesSetIn(listOf(item));
  }
}

/**
 * Returns the path of the value in the JSON body that a JavaScript expression such as `body.data.id` reads.
 * @param start The variable or the call at the start of the expression. A variable that is not in `known` holds the whole body.
 */
function pathIn(start: string, rest: string, known: ReadonlyMap<string, Path>): Path {
  const steps = [...rest.matchAll(/\.([A-Za-z_$][\w$]*)|\[(?:(\d+)|["']([^"']*)["'])\]/g)].map(([, name, index, text]) =>
    index === undefined ? (name ?? text)! : Number(index),
  );
  return [...(known.get(start) ?? []), ...steps];
}

/** Returns the values of secret variables, and the credentials of the collection, its folders and its requests. */
function secretsOf(collection: Members, values: ReadonlyMap<string, string>): readonly string[] {
  const secrets = listOf(collection["variable"])
    .map(membersOf)
    .flatMap(({ key, type, value }) => (type === "secret" || isSecretName(textOf(key) ?? "", textOf(value)) ? (textOf(value) ?? []) : []));
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

/** Returns the authentication that most requests have. If several authentications are equally frequent, returns the first of these. */
function mostUsed(auths: readonly RecordedAuth[]): RecordedAuth | undefined {
  const idOf = (auth: RecordedAuth): string => (auth.kind === "apiKey" ? JSON.stringify(auth) : auth.kind);
  const counts = new Map<string, number>();
  for (const auth of auths) counts.set(idOf(auth), (counts.get(idOf(auth)) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return auths.find((auth) => idOf(auth) === most?.[0]);
}

function authOf(auth: unknown): RecordedAuth | undefined {
  const { type, apikey, bearer, oauth2 } = membersOf(auth);
  // The details are a list of pairs in Postman v2.1, and an object in v2.0.
  const detailsOf = (of: unknown): Members => (Array.isArray(of) ? Object.fromEntries(pairsOf(of, "key")) : membersOf(of));
  if (type === "bearer" || type === "oauth2") {
    const value = textOf(type === "bearer" ? detailsOf(bearer)["token"] : detailsOf(oauth2)["accessToken"])?.trim();
    return { kind: "bearer", ...(value !== undefined && { value }) };
  }
  if (type === "basic") return { kind: "basic" };
  if (type !== "apikey") return undefined;
  const pairs = detailsOf(apikey);
  const name = textOf(pairs["key"]);
  if (name === undefined || name === "") return undefined;
  return { kind: "apiKey", in: pairs["in"] === "query" ? "query" : "header", name, value: textOf(pairs["value"]) ?? "" };
}
