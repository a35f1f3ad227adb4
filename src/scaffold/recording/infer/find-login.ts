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
  for (const call of recording.calls) {
    const { method, body, answer, segments } = call;
    if (method !== "post" || answer === undefined || answer.status >= 400) continue;
    const names = fieldsOf(body);
    const passwordField = names.find((name) => PASSWORDS.has(folded(name)));
    const userField = names.find((name) => USERS.has(folded(name)));
    if (passwordField === undefined || userField === undefined) continue;
    const said = new Set(segments.flatMap(words));
    if ([...REGISTER_WORDS].some((word) => said.has(word)) || (said.has("sign") && said.has("up"))) continue;
    const saysLogin = [...LOGIN_WORDS].some((word) => said.has(word)) || (said.has("sign") && said.has("in"));
    const sent = tokensSent(recording, call);
    const isSent = (text: string): boolean => sent.some((one) => one.text === text);
    const token = tokenSet(call, sent) ?? tokenIn(answer.body, (name, text) => isSent(text) || (saysLogin && TOKENS.has(folded(name))));
    if (token !== undefined) return { call, userField, passwordField, token: token.path, header: headerOf(token.text, sent) };
    if (saysLogin || answer.setsCookie) return { call, userField, passwordField, token: [] };
  }
  return undefined;
}

/** A value that a header for credentials contains. `text` is a token, or a Postman variable without spaces in its braces: `{{token}}`. */
interface SentToken {
  readonly text: string;
  /** The header that carries the token. `undefined` for the header `Authorization` with the scheme `Bearer`. */
  readonly header: TokenHeader | undefined;
}

/**
 * Returns the tokens that calls send, the most frequent first. Values that the login sends, too, come last, because they are rarely the token that
 * the login returns. Variables that only the login sends are left out. Returns an empty list if Postman itself sends the token with the scheme
 * `Bearer`.
 */
function tokensSent(recording: Recording, login: RecordedCall): readonly SentToken[] {
  const { calls, auth } = recording;
  if (auth?.kind === "bearer") return [];
  const inherited = inheritedHeaders(recording);
  const own = login.headers.flatMap(sentIn);
  const others = calls.filter((call) => call !== login).flatMap(({ headers }) => [...headers, ...inherited].flatMap(sentIn));
  const counts = new Map<string, number>();
  for (const one of [...others, ...own.filter(({ text }) => !isVariable(text))])
    counts.set(JSON.stringify(one), (counts.get(JSON.stringify(one)) ?? 0) + 1);
  const ownTexts = new Set(own.map(({ text }) => text));
  const isOwn = ({ text }: SentToken): number => (ownTexts.has(text) ? 1 : 0);
  return [...counts]
    .map(([one, count]) => ({ one: JSON.parse(one) as SentToken, count }))
    .toSorted((a, b) => isOwn(a.one) - isOwn(b.one) || b.count - a.count || inAnother(a.one) - inAnother(b.one))
    .map(({ one }) => one);
}

const inAnother = ({ header }: SentToken): number => (header === undefined || header.name === "authorization" ? 0 : 1);

/**
 * Returns the token in a header as a list with one entry. The list is empty for other headers, and for the scheme `Basic`, whose credentials are not
 * a token.
 */
function sentIn([name, value]: readonly [name: string, value: string]): readonly SentToken[] {
  const plain = (text: string): string => (isVariable(text) ? `{{${text.slice(2, -2).trim()}}}` : text);
  if (name !== "authorization") return isKeyHeader(name) ? [{ text: plain(value), header: { name, scheme: "" } }] : [];
  const [token, scheme] = authorizationOf(value);
  if (/^basic$/i.test(scheme ?? "")) return [];
  return [{ text: plain(token), header: scheme === undefined ? undefined : { name, scheme } }];
}

const isVariable = (text: string): boolean => /^\{\{[^{}]+\}\}$/.test(text);

/** Returns the path of the token that a script of the login stores in a Postman variable which other calls send. */
function tokenSet(
  { sets }: RecordedCall,
  sent: readonly SentToken[],
): { readonly path: readonly string[]; readonly text: string } | undefined {
  for (const { text } of sent) {
    const path = isVariable(text) ? sets?.get(text.slice(2, -2)) : undefined;
    if (path?.every((one) => typeof one === "string")) return { path, text };
  }
  return undefined;
}

/**
 * Returns the header that carries the token. If no header contains the token itself, returns the header of the variable that most calls send. Headers
 * for API keys do not count then.
 */
function headerOf(token: string, sent: readonly SentToken[]): TokenHeader | undefined {
  const known =
    sent.find(({ text }) => text === token) ?? sent.find(({ text, header }) => isVariable(text) && header?.name.endsWith("key") !== true);
  return known?.header;
}

/** Returns the header with the API key that all calls inherit from the recording. Returns an empty list if the recording has no such key. */
function inheritedHeaders({ auth }: Recording): readonly (readonly [name: string, value: string])[] {
  return auth?.kind === "apiKey" && auth.in === "header" ? [[auth.name.toLowerCase(), auth.value]] : [];
}

/** Returns all values of the header `Authorization`, including the value of an API key that this header carries. */
function authorizationsIn(recording: Recording): readonly string[] {
  const headers = [...recording.calls.flatMap((call) => call.headers), ...inheritedHeaders(recording)];
  return headers.flatMap(([name, value]) => (name === "authorization" ? [value] : []));
}

/**
 * Returns the credentials and the scheme of a header `Authorization`. The scheme is `undefined` for `Bearer`, and an empty text if the header has no
 * scheme.
 */
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

/**
 * Plans how the generated code logs in. The generated code reads the user name and the password from environment variables, and does not contain the
 * recorded ones.
 */
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
