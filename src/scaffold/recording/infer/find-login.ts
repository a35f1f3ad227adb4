import { CHOSEN_PASSWORD } from "../../infer/accounts/find-login.ts";
import type {
  Json,
  OwnIds,
  PlannedAction,
  PlannedBody,
  PlannedLogin,
  PlannedRegistration,
  PlannedValue,
  TokenHeader,
} from "../../infer/plan.ts";
import { singularName, words } from "../../infer/resources/words.ts";
import type { RecordedCall, Recording } from "../recorded-call.ts";
import { isSecretName, isSecretQuery } from "./secrets.ts";

const PASSWORDS = new Set(["password", "passwd", "pass", "pwd", "passphrase"]);
const USERS = new Set(["email", "username", "login", "user", "name", "account", "emailaddress", "identifier", "userid", "phone"]);
const TOKENS = new Set(["token", "accesstoken", "jwt", "idtoken", "authtoken", "sessiontoken", "bearer", "apitoken"]);
const LOGIN_WORDS = new Set(["login", "signin", "session", "sessions", "auth", "authenticate", "token", "tokens"]);
const REGISTER_WORDS = new Set(["register", "signup", "registration", "registrations"]);
/** The last words of URL paths for collections of users, such as `/users`. A `POST` with a password to such a path can be a registration. */
const USER_NOUNS = new Set(["user", "account", "customer", "member"]);
/** Names of fields that usually must differ between users. */
const NICKNAMES = new Set(["username", "login", "user", "nickname", "handle", "identifier"]);
const NO_REGISTRATION = /reset|forgot|refresh|verif|confirm|resend|webhook|device|client/i;

const folded = (name: string): string => words(name).join("");

export interface FoundLogin {
  readonly call: RecordedCall;
  readonly userField: string;
  readonly passwordField: string;
  /** The path of the token in the JSON answer of the login. Empty if the login sets a cookie instead, or returns the token in a header. */
  readonly token: readonly string[];
  /** The header of the login's answer that returns the token. */
  readonly answerHeader?: string | undefined;
  /** The header that carries the token. `undefined` for `Authorization` with `Bearer`, and if no call carries the token. */
  readonly header?: TokenHeader | undefined;
}

/** A call that registers a user. */
export interface FoundRegistration {
  readonly call: RecordedCall;
  readonly userField: string;
  readonly passwordField: string;
  /** `true` if the answer contains a token or sets a cookie, so that the user is logged in. */
  readonly logsIn: boolean;
}

/**
 * Finds the call that logs a user in. A registration that also logs the new user in is returned only if no other call logs in, because the same user
 * cannot be registered twice.
 */
export function findLogin(recording: Recording): FoundLogin | undefined {
  const found = recording.calls.flatMap((call) => loginOf(call, recording) ?? []);
  return found.find(({ call }) => !isRegistration(call)) ?? found[0];
}

function loginOf(call: RecordedCall, recording: Recording): FoundLogin | undefined {
  const { answer, body, segments } = call;
  const fields = fieldsOf(call);
  const passwordField = fields.find(([name]) => PASSWORDS.has(folded(name)))?.[0];
  const userField = userIn(fields)?.[0];
  if (!isAccepted(call, recording) || body === undefined || passwordField === undefined || userField === undefined) return undefined;
  const said = new Set(segments.flatMap(words));
  const registers = isRegistration(call);
  const saysLogin = !registers && ([...LOGIN_WORDS].some((word) => said.has(word)) || (said.has("sign") && said.has("in")));
  const sent = tokensSent(recording, call);
  const isSent = (text: string): boolean => sent.some((one) => one.text === text);
  const returnsToken = saysLogin || (registers && sent.length === 0);
  const isToken = (name: string, text: string): boolean => isSent(text) || (returnsToken && TOKENS.has(folded(name)));
  const token = tokenSet(call, sent) ?? tokenIn(answer?.body, isToken);
  if (token !== undefined) {
    const header = headerOf(token.text, sent, recording);
    const scheme = call.schemes?.get(token.text.slice(2, -2));
    return { call, userField, passwordField, token: token.path, header: scheme === undefined ? header : withScheme(header, scheme) };
  }
  const inHeader = headerWithToken(call, sent);
  if (inHeader !== undefined)
    return { call, userField, passwordField, token: [], answerHeader: inHeader.name, header: headerOf(inHeader.text, sent, recording) };
  // No token was found, so the login may set a cookie, which the client stores by itself. If the recording does not contain the answer of the login,
  // it cannot show the cookie.
  const isByCookie = answer?.setsCookie === true && !(registers && sent.length > 0);
  const isLogin = answer === undefined ? saysLogin && isWithoutToken(recording) : saysLogin || isByCookie;
  return isLogin ? { call, userField, passwordField, token: [] } : undefined;
}

/** Returns the field that holds the user name. A field `name` may hold the name of a person, so other fields are preferred. */
function userIn(fields: ReturnType<typeof fieldsOf>): readonly [name: string, text: string] | undefined {
  const users = fields.filter(([name]) => USERS.has(folded(name)));
  return users.find(([name]) => folded(name) !== "name") ?? users[0];
}

/** Returns the header with a scheme that a script puts before the token, as in `"Bearer " + token`. */
function withScheme(header: TokenHeader | undefined, scheme: string): TokenHeader | undefined {
  if (header === undefined || header.scheme !== "") return header;
  return header.name === "authorization" && /^bearer$/i.test(scheme) ? undefined : { ...header, scheme };
}

/** Returns `true` if no call carries a token or key, except in a cookie. */
function isWithoutToken(recording: Recording): boolean {
  const credentials = findCredentials(recording);
  return credentials === undefined || (credentials.kind === "apiKey" && credentials.in === "cookie");
}

/** Returns `true` for a `POST` that was not refused. A Postman collection may lack the answer, and then counts as not refused. */
const isAccepted = ({ method, answer }: RecordedCall, { from }: Recording): boolean =>
  method === "post" && (answer === undefined ? from === "postman" : answer.status < 400);

function isRegistration({ segments }: RecordedCall): boolean {
  const said = new Set(segments.flatMap(words));
  if ([...REGISTER_WORDS].some((word) => said.has(word)) || (said.has("sign") && said.has("up"))) return true;
  return USER_NOUNS.has(singularName(segments.findLast((segment) => segment !== "") ?? ""));
}

/**
 * Finds the call that registers the user who logs in: the call with the same user name and password, else a call that is named like a registration.
 * Returns `undefined` if the call that logs in registers the user itself.
 */
export function findRegistration(
  recording: Recording,
  { call: login, userField, passwordField }: FoundLogin,
): FoundRegistration | undefined {
  if (isRegistration(login)) return undefined;
  const [user, password] = [sentText(login, userField), sentText(login, passwordField)];
  const found = recording.calls.flatMap((call): readonly (FoundRegistration & { readonly isSame: boolean })[] => {
    if (!isAccepted(call, recording) || !isRegistration(call) || pathOf(call) === pathOf(login) || NO_REGISTRATION.test(pathOf(call)))
      return [];
    const fields = fieldsOf(call);
    const secret = fields.find(([name]) => PASSWORDS.has(folded(name)));
    const named =
      fields.find(([name, text]) => text === user && USERS.has(folded(name))) ??
      fields.find(([name]) => folded(name) === folded(userField)) ??
      userIn(fields);
    if (secret === undefined || named === undefined) return [];
    const isSame = named[1] === user && secret[1] === password;
    const isNamed = call.segments.flatMap(words).some((word) => REGISTER_WORDS.has(word));
    return isSame || isNamed
      ? [{ call, userField: named[0], passwordField: secret[0], logsIn: loginOf(call, recording) !== undefined, isSame }]
      : [];
  });
  return found.find(({ isSame }) => isSame) ?? found[0];
}

export const pathOf = ({ segments }: RecordedCall): string => segments.join("/");

/** A value that a header for credentials contains. `text` is a token, or a Postman variable without spaces in its braces: `{{token}}`. */
interface SentToken {
  readonly text: string;
  /** The header that carries the token. `undefined` for the header `Authorization` with the scheme `Bearer`. */
  readonly header: TokenHeader | undefined;
}

/**
 * Returns the tokens that calls send, the most frequent first. Tokens that the login also sends come last, because they are rarely the token that the
 * login returns. Variables that only the login sends are left out.
 */
function tokensSent({ calls }: Recording, login: RecordedCall): readonly SentToken[] {
  const own = login.headers.flatMap(sentIn);
  const others = calls.filter((call) => call !== login).flatMap((call) => [...call.headers, ...addedHeaders(call)].flatMap(sentIn));
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

/** Returns the path of the token in the login's answer, if a script of the login stores the token in a Postman variable that other calls send. */
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

/** Returns the header of the login's answer that contains a token that other calls send; `undefined` if there is none. */
function headerWithToken(
  { answer, setsFromHeaders }: RecordedCall,
  sent: readonly SentToken[],
): { readonly name: string; readonly text: string } | undefined {
  for (const { text } of sent) {
    const set = isVariable(text) ? setsFromHeaders?.get(text.slice(2, -2)) : undefined;
    const name = set ?? answer?.headers.find(([, value]) => value === text || authorizationOf(value)[0] === text)?.[0];
    if (name !== undefined) return { name, text };
  }
  return undefined;
}

/**
 * Returns the header in which calls send the token. If no call sends the token itself, returns the header of the variable that most calls send,
 * except headers for API keys.
 */
function headerOf(token: string, sent: readonly SentToken[], { auth }: Recording): TokenHeader | undefined {
  const known = sent.find(({ text }) => text === token);
  if (known !== undefined || auth?.kind === "bearer") return known?.header;
  return sent.find(({ text, header }) => isVariable(text) && header?.name.endsWith("key") !== true)?.header;
}

/** Returns the header that Postman adds to a call for its authentication. */
function addedHeaders({ auth }: Pick<RecordedCall, "auth">): readonly (readonly [name: string, value: string])[] {
  if (auth?.kind === "bearer") return auth.value === undefined || auth.value === "" ? [] : [["authorization", `Bearer ${auth.value}`]];
  return auth?.kind === "apiKey" && auth.in === "header" ? [[auth.name.toLowerCase(), auth.value]] : [];
}

/** Returns all values of the header `Authorization`, including the value of an API key that this header carries. */
function authorizationsIn({ calls, auth }: Recording): readonly string[] {
  const headers = [...calls.flatMap((call) => call.headers), ...(auth?.kind === "apiKey" ? addedHeaders({ auth }) : [])];
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

/** Returns the names and values of the fields in a body, also of fields in nested objects, as in `{ user: { email, password } }`. */
function fieldsOf({ body }: RecordedCall): readonly (readonly [name: string, text: string])[] {
  if (body === undefined || body.as === "text") return [];
  if (body.as !== "json") return body.fields;
  const inside = (value: Json, depth: number): readonly (readonly [string, string])[] =>
    typeof value !== "object" || value === null || Array.isArray(value) || depth > 2
      ? []
      : Object.entries(value).flatMap(([name, of]) =>
          typeof of === "object" && of !== null ? inside(of, depth + 1) : [[name, String(of)] as const],
        );
  return inside(body.value, 0);
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
export function planLogin(
  { userField, passwordField, token, answerHeader, header, call }: FoundLogin,
  action: PlannedAction,
  register: PlannedRegistration | undefined,
  ids: OwnIds | undefined,
): PlannedLogin {
  const isEmail = sentText(call, userField).includes("@") || /mail/i.test(userField);
  const user: PlannedValue = { kind: "environment", name: "API_USER", otherwise: isEmail ? "alice@example.com" : "alice" };
  // An API that has just registered the user accepts the chosen password. Without a registration, the user exists and has another password.
  const isNew = register !== undefined || isRegistration(call);
  const password: PlannedValue = { kind: "environment", name: "API_PASSWORD", otherwise: isNew ? CHOSEN_PASSWORD : "password" };
  const body = isRegistration(call) ? asNewUser({ call, userField, passwordField }, action.body!) : action.body!;
  const value = replaced(body.value, (name, of) => (name === userField ? user : name === passwordField ? password : of));
  return {
    kind: "operation",
    action: { ...action, needs: [], produces: [], frees: [], body: { ...body, value } },
    userField,
    passwordField,
    token,
    answerHeader,
    header,
    register,
    ids,
  };
}

/**
 * Replaces the recorded user in the body of a registration by a new user, so that an exploration and a journey can send the request again. Other
 * fields that contain the recorded user name or password, such as a repeated password, are replaced, too.
 */
export function asNewUser({ call, userField, passwordField }: Omit<FoundRegistration, "logsIn">, body: PlannedBody): PlannedBody {
  const texts = new Map(fieldsOf(call));
  const [user, password] = [texts.get(userField)!, texts.get(passwordField)!];
  const value = replaced(body.value, (name, of) => {
    const text = texts.get(name);
    if (name === passwordField || text === password) return { kind: "environment", name: "API_PASSWORD", otherwise: CHOSEN_PASSWORD };
    if (of.kind === "drawn" || text === undefined) return of;
    const isUser = name === userField || text === user;
    if (text.includes("@") || /mail/i.test(name)) return { kind: "drawn", call: "email" };
    return isUser || NICKNAMES.has(folded(name)) ? { kind: "drawn", call: "username" } : of;
  });
  return { ...body, value };
}

/** Replaces the fields of a body, also in nested objects. */
function replaced(value: PlannedValue, by: (name: string, of: PlannedValue) => PlannedValue): PlannedValue {
  if (value.kind !== "object") return value;
  return {
    kind: "object",
    entries: value.entries.map(([name, of]) => [name, of.kind === "object" ? replaced(of, by) : by(name, of)]),
  };
}

/** Returns the text that a call sends in a field. */
export const sentText = (call: RecordedCall, field: string): string => fieldsOf(call).find(([name]) => name === field)?.[1] ?? "";

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
  const cookies = headers.filter(([name]) => name === "cookie").flatMap(([, value]) => cookiesIn(value));
  const session = [/sess|sid(?![a-z])/i, /auth|token|jwt/i, /./].map((kind) => cookies.find((name) => kind.test(name))).find(Boolean);
  return session === undefined ? undefined : { kind: "apiKey", in: "cookie", name: session, variable: "API_COOKIE" };
}

/** Returns the names of the cookies that may identify a user. */
const cookiesIn = (value: string): readonly string[] =>
  value
    .split(";")
    .map((one) => one.split("=")[0]!.trim())
    .filter((name) => name !== "" && !/[cx]srf/i.test(name));

/** Returns `true` if a call carries something that may identify a user. */
export function carriesCredentials({ headers, query, hasAuth = false }: RecordedCall): boolean {
  return (
    hasAuth ||
    headers.some(([name, value]) => name === "authorization" || isKeyHeader(name) || (name === "cookie" && cookiesIn(value).length > 0)) ||
    query.some(([name, text]) => isKeyName(name) && isSecretQuery(name, text))
  );
}

const isKeyHeader = (name: string): boolean => isSecretName(name) && !/authorization|cookie|^proxy-|^sec-|csrf|xsrf/.test(name);
const isKeyName = (name: string): boolean => /^(?:key|accesstoken)$|(?:api|subscription)key$/.test(folded(name));
