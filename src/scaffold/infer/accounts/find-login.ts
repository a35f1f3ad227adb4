import type { Operation, SecurityScheme } from "../../../openapi/operations/description.ts";
import { answerSchema, isJson, schemaOf } from "../actions/answers.ts";
import type { PlannedAction, PlannedLogin, PlannedRegistration, PlannedValue } from "../plan.ts";
import type { FlatSchema, Schemas } from "../values/schemas.ts";
import { squashed } from "../resources/words.ts";
import type { Called } from "../resources/found-resource.ts";

const NAMED = /register|registration|signup/;
/** Matches the ends of URL paths for collections of users, such as `/users`. A `POST` with a password to such a path can be a registration. */
const USERS = /(?:users?|accounts?|customers?|members?)$/;
const NOT = /reset|forgot|refresh|verify|confirm|resend|webhook|device|client|application/;

interface Registration {
  readonly call: Called;
  readonly userField: string;
  readonly passwordField: string;
}

export const PASSWORD: RegExp = /^(password|passwd|passphrase|pass|pwd)$/;
export const USER: RegExp = /^(username|useremail|email|emailaddress|login|user|userid|identifier|name)$/;
export const TOKEN: RegExp = /^(accesstoken|token|authtoken|jwt|idtoken|sessiontoken|bearertoken|apitoken|bearer)$/;
export const LOGS_IN: RegExp = /login|logon|signin|session|token|auth/;
export const REGISTERS: RegExp = /register|registration|signup|reset|forgot|refresh|logout|signout|revoke/;

export interface LoginOperation {
  readonly userField: string;
  readonly passwordField: string;
  /** The path of the token in the JSON answer of the login. Empty if the login sets a cookie instead. */
  readonly token: readonly string[];
}

/**
 * Returns the user, password and token fields of an operation that logs in. Such an operation is named like a login, takes a user name and a
 * password, and returns a token. Returns `undefined` for other operations. The name is needed to distinguish logins from registrations, which take
 * and return the same values.
 * @param setsCookie `true` if the answer sets a cookie, so that its body needs no token.
 */
export function asLogin(operation: Operation, schemas: Schemas, setsCookie: boolean): LoginOperation | undefined {
  if (operation.method !== "post" || operation.body === undefined) return undefined;
  const called = squashed(`${operation.id ?? ""} ${operation.path}`);
  if (!LOGS_IN.test(called) || REGISTERS.test(called)) return undefined;
  const media = operation.body.media.find(({ type }) => isJson(type)) ?? operation.body.media[0];
  const fields = [...schemas.flat(media === undefined ? undefined : schemaOf(media)).properties.keys()];
  const passwordField = fields.find((name) => PASSWORD.test(squashed(name)));
  const userField = fields.find((name) => USER.test(squashed(name)));
  const token = setsCookie ? [] : tokenIn(answerSchema(operation), schemas, 0);
  return passwordField === undefined || userField === undefined || token === undefined ? undefined : { userField, passwordField, token };
}

function tokenIn(schema: ReturnType<typeof answerSchema>, schemas: Schemas, depth: number): readonly string[] | undefined {
  for (const { flat } of schema === undefined ? [] : schemas.forms(schema)) {
    const found = tokenAmong(flat, schemas, depth);
    if (found !== undefined) return found;
  }
  return undefined;
}

function tokenAmong({ properties }: FlatSchema, schemas: Schemas, depth: number): readonly string[] | undefined {
  const found = [...properties].find(([name, one]) => TOKEN.test(squashed(name)) && !schemas.flat(one).types.has("object"));
  if (found !== undefined) return [found[0]];
  if (depth >= 2) return undefined;
  for (const [name, one] of properties) {
    const inner = schemas.flat(one).types.has("object") ? tokenIn(one, schemas, depth + 1) : undefined;
    if (inner !== undefined) return [name, ...inner];
  }
  return undefined;
}

/** Returns `true` if users log in with an operation of the API. Returns `false` if requests carry an API key or HTTP Basic credentials instead. */
export function loginTakesPart(scheme: SecurityScheme | undefined): boolean {
  if (scheme?.kind === "apiKey") return scheme.in === "cookie" || squashed(scheme.name) === "authorization";
  return !(scheme?.kind === "http" && scheme.scheme === "basic");
}

export function loginSetsCookie(scheme: SecurityScheme | undefined): boolean {
  return scheme?.kind === "apiKey" && scheme.in === "cookie";
}

/**
 * Plans how the generated code authenticates its requests: with the operation that logs in, or else with the security scheme that most operations
 * need. Returns `undefined` if neither exists or can be used.
 */
export function planLogin(
  login: { readonly action: PlannedAction; readonly as: LoginOperation; readonly register: PlannedRegistration | undefined } | undefined,
  scheme: SecurityScheme | undefined,
): PlannedLogin | undefined {
  if (login !== undefined) {
    const { action, as, register } = login;
    // Generated code that registers accounts chooses a password that most APIs accept. Without a registration, the user provides the password of an
    // existing account.
    const password = register === undefined ? "password" : CHOSEN_PASSWORD;
    return { kind: "operation", action: withCredentials(action, as, password), ...as, register };
  }
  switch (scheme?.kind) {
    case "http":
      if (scheme.scheme === "basic") return { kind: "basic", userVariable: "API_USER", passwordVariable: "API_PASSWORD" };
      return scheme.scheme === "bearer" ? { kind: "bearer", variable: "API_TOKEN" } : undefined;
    case "oauth2":
    case "openIdConnect":
      return { kind: "bearer", variable: "API_TOKEN" };
    case "apiKey":
      return { kind: "apiKey", in: scheme.in, name: scheme.name, variable: "API_KEY" };
    default:
      return undefined;
  }
}

/**
 * The password of users that the generated code registers. The password satisfies common rules: length, a capital letter, a digit and a special
 * character.
 */
export const CHOSEN_PASSWORD = "Correct-Horse-7";

function withCredentials(action: PlannedAction, { userField, passwordField }: LoginOperation, password: string): PlannedAction {
  if (action.body === undefined) return action;
  const { value } = action.body;
  const entries: readonly (readonly [string, PlannedValue])[] =
    value.kind === "object"
      ? value.entries
      : value.kind === "constant" && typeof value.value === "object" && value.value !== null
        ? Object.entries(value.value).map(([name, one]) => [name, { kind: "constant", value: one }] as const)
        : [];
  const others = entries.filter(([name]) => name !== userField && name !== passwordField);
  const email = squashed(userField).includes("email");
  const credentials: readonly (readonly [string, PlannedValue])[] = [
    [userField, { kind: "environment", name: "API_USER", otherwise: email ? "user@example.com" : "user" }],
    [passwordField, { kind: "environment", name: "API_PASSWORD", otherwise: password }],
  ];
  return { ...action, body: { ...action.body, value: { kind: "object", entries: [...credentials, ...others] } } };
}

/**
 * Finds the operation that registers a user: a `POST` without path parameters that takes a password and a user name, like the login. The operation
 * must be named like a registration, or need no authentication and have the path of a collection of users.
 */
export function findRegistration(
  calls: readonly Called[],
  login: { readonly call: Called; readonly as: LoginOperation },
  schemas: Schemas,
): Registration | undefined {
  // `true` if at least half of the operations (except the login and the registration) declare authentication. In this case, an operation without a
  // declaration counts as open to everybody.
  const saysWho = calls.filter(({ operation }) => operation.security.length > 0).length * 2 >= calls.length - 2;
  const found = calls.flatMap((call): readonly (Registration & { readonly isNamed: boolean })[] => {
    const { operation, path } = call;
    if (call === login.call || operation.method !== "post" || path.segments.some(({ kind }) => kind !== "literal")) return [];
    const called = squashed(`${operation.id ?? ""} ${operation.path}`);
    const isNamed = NAMED.test(called);
    const isOpen = saysWho && (operation.security.length === 0 || operation.security.some((needs) => needs.length === 0));
    if (NOT.test(called) || (!isNamed && !(isOpen && USERS.test(squashed(operation.path))))) return [];
    const media = operation.body?.media.find(({ type }) => isJson(type)) ?? operation.body?.media[0];
    const fields = [...schemas.flat(media === undefined ? undefined : schemaOf(media)).properties.keys()];
    const passwordField = fields.find((name) => PASSWORD.test(squashed(name)));
    const userField =
      fields.find((name) => squashed(name) === squashed(login.as.userField)) ?? fields.find((name) => USER.test(squashed(name)));
    return passwordField === undefined || userField === undefined ? [] : [{ call, userField, passwordField, isNamed }];
  });
  return found.find(({ isNamed }) => isNamed) ?? found[0];
}
