import type { ApiDescription, Operation, Parameter, SecurityNeed, SecurityScheme } from "../../../openapi/operations/description.ts";
import type { NotInferred, PlannedAction, PlannedApiKey, PlannedLogin } from "../plan.ts";
import { snake, squashed } from "../resources/words.ts";

/** The authentication of most operations. */
export interface Authentication {
  /** The scheme by which users authenticate. `undefined` if no operation needs a scheme that generated code can send. */
  readonly scheme: SecurityScheme | undefined;
  /** The API keys that requests send in addition to `scheme`. */
  readonly keys: readonly ApiKey[];
}

type ApiKey = Extract<SecurityScheme, { readonly kind: "apiKey" }>;
type Schemes = ReadonlyMap<string, SecurityScheme>;

/**
 * The part of a request that carries a credential, and the kind of its content. A request cannot use two schemes with the same place and different
 * contents.
 */
type Carrier = readonly [place: string, content: string];

const HEADER_KEY = /^(authorization|x?(api|app|application)key|x?(auth|access|api)token|ocpapimsubscriptionkey)$/;
const QUERY_KEY = /^(apikey|accesstoken|apitoken)$/;

/**
 * Returns a description with added security schemes, for credentials that the description declares only as required parameters, as Springfox does for
 * the header `Authorization`. Operations with such a parameter need the added scheme in addition to their own schemes.
 */
export function withDescribedKeys(description: ApiDescription): ApiDescription {
  const schemes = new Map(description.securitySchemes);
  const needOf = (parameter: Parameter): readonly SecurityNeed[] => {
    const { name, in: where, required } = parameter;
    const known = [...schemes].find(([, scheme]) => isSameKey(scheme, parameter))?.[0];
    const isKey = where === "header" ? HEADER_KEY.test(squashed(name)) : where === "query" && QUERY_KEY.test(squashed(name));
    if (!required || (!isKey && known === undefined)) return [];
    const added = known ?? `${where} ${name}`;
    if (known === undefined) schemes.set(added, describedKey(name, where === "query" ? "query" : "header"));
    return [{ scheme: added, scopes: [] }];
  };
  const operations = description.operations.map((operation): Operation => {
    const needs = operation.parameters.flatMap(needOf);
    if (needs.length === 0) return operation;
    const added = (one: readonly SecurityNeed[]): readonly SecurityNeed[] => {
      const places = new Set(one.map(({ scheme }) => carrierOf(schemes.get(scheme))?.[0]));
      return [...one, ...needs.filter(({ scheme }) => !places.has(carrierOf(schemes.get(scheme))![0]))];
    };
    return { ...operation, security: operation.security.length === 0 ? [needs] : operation.security.map(added) };
  });
  return { ...description, operations, securitySchemes: schemes };
}

function describedKey(name: string, place: ApiKey["in"]): SecurityScheme {
  return name.toLowerCase() === "authorization" ? { kind: "http", scheme: "bearer" } : { kind: "apiKey", in: place, name };
}

/** Returns `true` if the parameter carries the key of a scheme of the kind `apiKey`. */
export function isSameKey(scheme: SecurityScheme | undefined, { name, in: where }: Pick<Parameter, "name" | "in">): scheme is ApiKey {
  return scheme?.kind === "apiKey" && scheme.in === where && scheme.name.toLowerCase() === name.toLowerCase();
}

/** Returns the part of a request that carries the credential of a scheme. Returns `undefined` if generated code cannot send it. */
function carrierOf(scheme: SecurityScheme | undefined): Carrier | undefined {
  switch (scheme?.kind) {
    case "apiKey": {
      const name = scheme.name.toLowerCase();
      if (scheme.in === "cookie") return ["cookie", scheme.name];
      // OpenAPI 2.0 describes bearer tokens as keys in the header `Authorization`.
      return scheme.in === "header" ? [`header ${name}`, name === "authorization" ? "bearer" : "key"] : [`query ${scheme.name}`, "key"];
    }
    case "http":
      return scheme.scheme === "basic" || scheme.scheme === "bearer" ? ["header authorization", scheme.scheme] : undefined;
    case "oauth2":
    case "openIdConnect":
      return ["header authorization", "bearer"];
    default:
      return undefined;
  }
}

/**
 * Returns the scheme that most operations need, and the schemes that are often needed together with it. If an operation accepts several alternatives,
 * only one is counted: the first alternative that needs a scheme and whose schemes the generated code can send.
 */
export function findAuthentication({ operations, securitySchemes }: ApiDescription): Authentication {
  const used = operations.flatMap(({ security }) => {
    const found = security.find((one) => one.length > 0 && canBeSent(one, securitySchemes));
    return found === undefined ? [] : [found.map(({ scheme }) => securitySchemes.get(scheme)!)];
  });
  const counts = new Map<string, number>();
  for (const schemes of used) for (const one of new Set(schemes.map(textOf))) counts.set(one, (counts.get(one) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const top = [...counts].find(([, count]) => count === most)?.[0];
  const sent = new Map<string, SecurityScheme>();
  for (const schemes of used) {
    if (!schemes.some((one) => textOf(one) === top) || schemes.some((one) => counts.get(textOf(one))! * 2 < most)) continue;
    if (schemes.every((one) => ["", textOf(one)].includes(textOf(sent.get(carrierOf(one)![0])))))
      for (const one of schemes) if (!sent.has(carrierOf(one)![0])) sent.set(carrierOf(one)![0], one);
  }
  const [scheme, ...others] = [...sent.values()].sort((a, b) => rank(a) - rank(b));
  return { scheme, keys: others.filter((one) => one.kind === "apiKey") };
}

function canBeSent(needs: readonly SecurityNeed[], schemes: Schemes): boolean {
  const carriers = needs.map(({ scheme }) => carrierOf(schemes.get(scheme)));
  const contents = new Map(carriers.flatMap((one) => (one === undefined ? [] : [one])));
  return carriers.every((one) => one !== undefined && contents.get(one[0]) === one[1]);
}

function textOf(scheme: SecurityScheme | undefined): string {
  return carrierOf(scheme)?.join(" ") ?? "";
}

/**
 * Returns a number for sorting schemes. The number is lower for schemes that usually identify a user than for schemes that usually identify a
 * program.
 */
function rank(scheme: SecurityScheme): number {
  if (scheme.kind !== "apiKey" || scheme.name.toLowerCase() === "authorization") return 0;
  return { cookie: 1, header: 2, query: 3 }[scheme.in];
}

/** Plans the API keys that requests send in addition to the scheme by which users authenticate. Each key gets its own environment variable. */
export function planKeys({ scheme, keys }: Authentication): readonly PlannedApiKey[] {
  const taken = new Set(["API_TOKEN", "API_USER", "API_PASSWORD", ...(scheme?.kind === "apiKey" ? ["API_KEY"] : [])]);
  return keys.map((key) => {
    const plain = variableOf(key.name);
    const variable = taken.has(plain) ? plain.replace("API_", `API_${key.in.toUpperCase()}_`) : plain;
    taken.add(variable);
    return { ...key, variable };
  });
}

/** Returns the environment variable for an API key: `API_KEY` for `X-API-Key`, `API_APP_ID` for `app_id`. */
export function variableOf(name: string): string {
  const plain = snake(name)
    .replace(/^x_(?=.)/, "")
    .replace(/^api_?(?=.)/, "");
  return `API_${(plain === "" ? "key" : plain).toUpperCase()}`;
}

/** Returns a note for each combination of schemes that operations need, but that the generated code does not send. */
export function noteUnsent(
  actions: readonly PlannedAction[],
  { securitySchemes }: ApiDescription,
  { scheme, keys }: Authentication,
  login: PlannedLogin | undefined,
): readonly NotInferred[] {
  const sent = new Set([scheme, ...keys].map(textOf));
  const isSent = (name: string, { parameters }: PlannedAction): boolean => {
    const needed = securitySchemes.get(name);
    const carrier = textOf(needed);
    if (carrier !== "" && sent.has(carrier)) return true;
    if (parameters.some((one) => isSameKey(needed, one))) return true;
    // If an operation logs in, its token satisfies schemes of an unknown kind and the header `Authorization`. A cookie that the login sets satisfies
    // cookie schemes.
    if (login?.kind !== "operation") return false;
    return carrier === "" || (login.token.length === 0 ? carrier.startsWith("cookie ") : carrier === "header authorization bearer");
  };
  const open = new Map<string, PlannedAction[]>();
  for (const action of actions) {
    const { security } = action.operation;
    if (security.length === 0 || security.some((one) => one.every((need) => isSent(need.scheme, action)))) continue;
    const missing = security[0]!.filter((need) => !isSent(need.scheme, action)).map((need) => `"${need.scheme}"`);
    const what = `the security scheme${missing.length === 1 ? "" : "s"} ${missing.join(" and ")}`;
    open.set(what, [...(open.get(what) ?? []), action]);
  }
  return [...open].map(([what, [first, ...others]]) => {
    const calls = others.length === 0 ? "This call needs" : `This call and ${others.length} other${others.length === 1 ? "" : "s"} need`;
    const hint = `${calls} ${what}, which the generated code does not send. Send ${what.includes("schemes") ? "them" : "it"} in the action.`;
    return { action: first!.name, what: "authentication", hint };
  });
}
