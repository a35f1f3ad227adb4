import type { Json, PlannedAction, PlannedLogin, PlannedValue, TokenHeader } from "../../infer/plan.ts";
import { words } from "../../infer/resources/words.ts";
import type { RecordedCall, Recording } from "../recorded-call.ts";
import { isSecretName, isSecretQuery } from "./secrets.ts";

const PASSWORDS = new Set(["password", "passwd", "pass", "pwd", "passphrase"]);
const USERS = new Set(["email", "username", "login", "user", "name", "account", "emailaddress", "identifier", "userid", "phone"]);
const TOKENS = new Set(["token", "accesstoken", "jwt", "idtoken", "authtoken", "sessiontoken", "bearer", "apitoken"]);
const LOGIN_WORDS = new Set(["login", "signin", "session", "sessions", "auth", "authenticate", "token", "tokens"]);
const REGISTER_WORDS = new Set(["register", "signup", "registration", "registrations"]);

const folded = (name: string): string => words(name).join("");

export interface FoundLogin {
  readonly call: RecordedCall;
  readonly userField: string;
  readonly passwordField: string;
  /** The path of the token in the JSON answer of the login. Empty if the login sets a cookie instead. */
  readonly token: readonly string[];
  /** The header that carries the token. `undefined` for `Authorization` with `Bearer`, and if no call carries the token. */
  readonly header?: TokenHeader | undefined;
}

export function findLogin(recording: Recording): FoundLogin | undefined {
  const { calls } = recording;
  const sent = tokensSent(recording);
  for (const call of calls) {
    const { method, body, answer, segments } = call;
    if (method !== "post" || answer === undefined || answer.status >= 400) continue;
    const names = fieldsOf(body);
    const passwordField = names.find((name) => PASSWORDS.has(folded(name)));
    const userField = names.find((name) => USERS.has(folded(name)));
    if (passwordField === undefined || userField === undefined) continue;
    const said = new Set(segments.flatMap(words));
    if ([...REGISTER_WORDS].some((word) => said.has(word)) || (said.has("sign") && said.has("up"))) continue;
    const saysLogin = [...LOGIN_WORDS].some((word) => said.has(word)) || (said.has("sign") && said.has("in"));
    const token = tokenIn(answer.body, (name, text) => sent.has(text) || (saysLogin && TOKENS.has(folded(name))));
    if (token !== undefined) return { call, userField, passwordField, token: token.path, header: sent.get(token.text) ?? sent.get("{{}}") };
    if (saysLogin || answer.setsCookie) return { call, userField, passwordField, token: [] };
  }
  return undefined;
}

/**
 * Returns the tokens that calls send, with their headers. A token in `Authorization` with `Bearer` has the header `undefined`. A token that is a
 * Postman variable has the text `{{}}`.
 */
function tokensSent(recording: Recording): ReadonlyMap<string, TokenHeader | undefined> {
  const others = recording.calls.flatMap(({ headers }) => headers.filter(([name]) => isKeyHeader(name)));
  return new Map([
    ...others.map(([name, value]) => [value, { name, scheme: "" }] as const),
    ...authorizationsIn(recording).map((value) => {
      const [token, scheme] = authorizationOf(value);
      return [
        /^\{\{[^{}]+\}\}$/.test(token) ? "{{}}" : token,
        scheme === undefined ? undefined : { name: "authorization", scheme },
      ] as const;
    }),
  ]);
}

/** Returns all values of the header `Authorization`, also that of an API key in this header. */
function authorizationsIn({ calls, auth }: Recording): readonly string[] {
  const values = calls.flatMap(({ headers }) => headers.flatMap(([name, value]) => (name === "authorization" ? [value] : [])));
  return auth?.kind === "apiKey" && auth.in === "header" && auth.name.toLowerCase() === "authorization" ? [...values, auth.value] : values;
}

/** Returns the credentials and the scheme of a header `Authorization`. The scheme is `undefined` for `Bearer`, and empty if there is none. */
function authorizationOf(value: string): readonly [credentials: string, scheme: string | undefined] {
  const [, scheme, credentials] = /^([\w-]+)\s+(\S.*)$/.exec(value) ?? [];
  if (scheme === undefined) return [value, ""];
  return [credentials!, /^bearer$/i.test(scheme) ? undefined : scheme];
}

function fieldsOf(body: RecordedCall["body"]): readonly string[] {
  if (body === undefined || body.as === "text") return [];
  if (body.as !== "json") return body.fields.map(([name]) => name);
  return typeof body.value === "object" && body.value !== null && !Array.isArray(body.value) ? Object.keys(body.value) : [];
}

function tokenIn(
  value: Json | undefined,
  isToken: (name: string, text: string) => boolean,
): { readonly path: readonly string[]; readonly text: string } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  for (const [name, of] of Object.entries(value)) {
    if (typeof of === "string" && isToken(name, of)) return { path: [name], text: of };
    const inside = tokenIn(of, isToken);
    if (inside !== undefined) return { ...inside, path: [name, ...inside.path] };
  }
  return undefined;
}

/** Plans how the generated code logs in. The recorded user name and password are not written into it: the code reads environment variables. */
export function planLogin({ userField, passwordField, token, header, call }: FoundLogin, action: PlannedAction): PlannedLogin {
  const user: PlannedValue = {
    kind: "environment",
    name: "API_USER",
    otherwise: sentText(call, userField).includes("@") ? "alice@example.com" : "alice",
  };
  const password: PlannedValue = { kind: "environment", name: "API_PASSWORD", otherwise: "password" };
  const value = action.body!.value as Extract<PlannedValue, { readonly kind: "object" }>;
  const entries = value.entries.map(([name, of]) => [name, name === userField ? user : name === passwordField ? password : of] as const);
  return {
    kind: "operation",
    action: { ...action, needs: [], produces: [], frees: [], body: { ...action.body!, value: { kind: "object", entries } } },
    userField,
    passwordField,
    token,
    header,
  };
}

function sentText({ body }: RecordedCall, field: string): string {
  if (body === undefined || body.as === "text") return "";
  if (body.as !== "json") return body.fields.find(([name]) => name === field)?.[1] ?? "";
  return String((body.value as Readonly<Record<string, Json>>)[field]);
}

export function findCredentials(recording: Recording): PlannedLogin | undefined {
  const { calls, auth } = recording;
  const headers = calls.flatMap((call) => call.headers);
  const [authorization] = authorizationsIn(recording);
  if (auth?.kind === "basic" || /^basic\s/i.test(authorization ?? ""))
    return { kind: "basic", userVariable: "API_USER", passwordVariable: "API_PASSWORD" };
  if (auth?.kind === "bearer") return { kind: "bearer", variable: "API_TOKEN" };
  if (authorization !== undefined) {
    const [, scheme] = authorizationOf(authorization);
    if (scheme === undefined) return { kind: "bearer", variable: "API_TOKEN" };
    return { kind: "apiKey", in: "header", name: "authorization", scheme, variable: "API_KEY" };
  }
  if (auth?.kind === "apiKey") return { kind: "apiKey", in: auth.in, name: auth.name, variable: "API_KEY" };
  const header = headers.find(([name]) => isKeyHeader(name));
  if (header !== undefined) return { kind: "apiKey", in: "header", name: header[0], variable: "API_KEY" };
  const query = calls.flatMap((call) => call.query).find(([name, text]) => isKeyName(name) && isSecretQuery(name, text));
  if (query !== undefined) return { kind: "apiKey", in: "query", name: query[0], variable: "API_KEY" };
  const cookies = (headers.find(([name]) => name === "cookie")?.[1] ?? "")
    .split(";")
    .map((one) => one.split("=")[0]!.trim())
    .filter((name) => name !== "" && !/[cx]srf/i.test(name));
  const session = [/sess|sid(?![a-z])/i, /auth|token|jwt/i, /./].map((kind) => cookies.find((name) => kind.test(name))).find(Boolean);
  return session === undefined ? undefined : { kind: "apiKey", in: "cookie", name: session, variable: "API_COOKIE" };
}

const isKeyHeader = (name: string): boolean => isSecretName(name) && !/authorization|cookie|^proxy-|^sec-|csrf|xsrf/.test(name);
const isKeyName = (name: string): boolean => /^(?:key|accesstoken)$|(?:api|subscription)key$/.test(folded(name));
