import type {
  BodyProduction,
  OwnIds,
  PlannedAction,
  PlannedApiKey,
  PlannedLogin,
  PlannedRegistration,
  PlannedValue,
} from "../../infer/plan.ts";
import { identifier, unique } from "../code/identifier.ts";
import { callOf, fieldCode, queryLines } from "../code/field.ts";
import { laidOut, object, row, text, type Code } from "../code/layout.ts";
import { requestCode } from "../code/request.ts";
import { commentText, propertyName, quoted, templateText } from "../code/text.ts";
import type { ValueScope } from "../code/value.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

/**
 * Returns the generated `session.ts`, which logs users in.
 * @param keys The API keys that requests send in addition to the login.
 * @param typeOf Returns the type of a context key.
 */
export function sessionFile(
  login: PlannedLogin,
  keys: readonly PlannedApiKey[] = [],
  typeOf: ValueScope["typeOf"] = () => "unknown",
): ScaffoldFile {
  const inQuery = [login, ...keys].filter(isQueryKey);
  const users = isQueryKey(login) ? 'import { fromEnvironment } from "./support.ts";\n' : loginText(login, keys, typeOf);
  return { path: "session.ts", isImported: true, text: inQuery.length === 0 ? users : `${users}\n${credentialsText(inQuery)}` };
}

/**
 * Returns `true` if the API key is sent in the query of the URL. Each generated call then has to send the key, because a client stores only headers.
 */
export function isQueryKey(login: PlannedLogin | undefined): login is PlannedApiKey & { readonly in: "query" } {
  return login?.kind === "apiKey" && login.in === "query";
}

function credentialsText(keys: readonly PlannedApiKey[]): string {
  const variables = keys.map(({ variable }) => commentText(variable)).join(" and ");
  const says =
    keys.length === 1
      ? `The query parameter that authenticates calls. Its value comes from the environment variable ${variables}.`
      : `The query parameters that authenticate calls. Their values come from the environment variables ${variables}.`;
  return `/** ${says} */
export const credentials = {
${keys.map(({ name, variable }) => `  ${propertyName(name)}: fromEnvironment(${quoted(variable)}, ""),\n`).join("")}};
`;
}

function loginText(login: PlannedLogin, keys: readonly PlannedApiKey[], typeOf: ValueScope["typeOf"]): string {
  const { fields, variables, placeholders } = userOf(login);
  const register = login.kind === "operation" ? login.register : undefined;
  const user = (name: string, number: number): string => {
    const entries = fields.map((field, index) => {
      const variable = number === 1 ? variables[index]! : `${variables[index]!}_${number}`;
      return text(`${field}: fromEnvironment(${quoted(variable)}, ${quoted(placeholders(name)[index]!)})`);
    });
    return `  ${laidOut(row(`${name}: `, object(entries)), 2, 2, 1)},\n`;
  };
  const { imports, body } = loginBody(login, keys.some(isQueryKey));
  const others = keys.filter((key) => !isQueryKey(key));
  const statements = others.map((key) => `  ${keyStatement(key, `fromEnvironment(${quoted(key.variable)}, "")`)}\n`).join("");
  const isGraphql = login.kind === "operation" && login.action.graphql !== undefined;
  const ids = idsOf(login);
  const locals = new Set("api user users context response registered token read register logIn fromEnvironment".split(" "));
  const stored = (from: keyof OwnIds): readonly string[] => (ids?.[from] ?? []).flatMap((one) => idLines(one, from, typeOf, locals));
  const client = isGraphql ? "GraphQLClient" : "ApiClient";
  const registered = ids !== undefined && ids.register.length > 0;
  const types = [client, ...(registered ? ["ApiResponse"] : []), ...(ids === undefined ? [] : ["Context"])].join(", ");
  const lines = [
    ...(register === undefined ? [] : [`${registered ? "const registered = " : ""}await register(api, user);`, ...stored("register")]),
    ...body,
    ...stored("login"),
  ];
  const helpers = new Set(["fromEnvironment", ...imports, ...(ids === undefined ? [] : ["read"])]);
  return `import type { ${types} } from "${isGraphql ? "seqqa/clients/graphql" : "seqqa"}";
${ids === undefined ? "" : 'import type { Keys } from "./context.ts";\n'}import { ${[...helpers].join(", ")} } from "./support.ts";

export interface User {
${fields.map((field) => `  readonly ${field}: string;\n`).join("")}}

/** Two users, so that rules can check what one user may do with the data of the other. Environment variables set their credentials. */
export const users: { readonly alice: User; readonly bob: User } = {
${user("alice", 1)}${user("bob", 2)}};

${register === undefined ? "" : registerText(register, keys.some(isQueryKey), registered)}/** Logs a user in. Afterwards, the client sends its requests as this user.${ids === undefined ? "" : " The context gets the ids of the user."} */
export async function logIn(api: ${client}, user: User${ids === undefined ? "" : ", context?: Context<Keys>"}): Promise<void> {
${statements}${lines.map((line) => `  ${line}\n`).join("")}}
`;
}

/** Returns the ids of the user that the generated `logIn` stores in the context. Returns `undefined` if there are none. */
export function idsOf(login: PlannedLogin | undefined): OwnIds | undefined {
  return login?.kind === "operation" ? login.ids : undefined;
}

/**
 * Returns the lines that store an id. The lines for a registration must allow an answer without an id, because the API refuses the registration of a
 * user who already exists.
 */
function idLines({ key, path }: BodyProduction, from: keyof OwnIds, typeOf: ValueScope["typeOf"], locals: Set<string>): readonly string[] {
  const name = unique(identifier(key, "Value"), locals);
  const type = { string: "string", number: "number", unknown: "string | number" }[typeOf(key)];
  const answer = from === "login" ? "response" : "registered";
  const value = `read<${type}>(${[answer, ...path.map((part) => (typeof part === "number" ? String(part) : quoted(part)))].join(", ")})`;
  return [
    `const ${name} = ${from === "login" ? value : `registered.ok ? ${value} : undefined`};`,
    `if (${name} !== undefined) context?.set(${quoted(key)}, ${name});`,
  ];
}

function registerText(
  { action: planned, userField, passwordField }: PlannedRegistration,
  hasCredentials: boolean,
  isRead: boolean,
): string {
  const action = withoutContext(planned);
  const scope = scopeOf(action, userField, passwordField);
  const request = requestCode(action, scope, credentialsOf(action, hasCredentials));
  return `/** Registers the user. If the user already exists, the API refuses the registration, and the login still works. */
async function register(api: ApiClient, user: User): Promise<${isRead ? "ApiResponse" : "void"}> {
  ${isRead ? `return ${laidOut(request, 2, 9, 1)}` : `await ${laidOut(request, 2, 8, 1)}`};
}

`;
}

/** Returns the code for the values of a call of `session.ts` that differ between users. */
function scopeOf(action: PlannedAction, userField: string, passwordField: string): ValueScope {
  const [user, password] = [sentAt(action, userField), sentAt(action, passwordField)];
  const repeated = new Set(action.body === undefined ? [] : repeatedIn(action.body.value, password));
  const names = new Map<PlannedValue, string>();
  for (const value of inside(action)) {
    if (value === user) names.set(value, "user.name");
    else if (value === password || repeated.has(value)) names.set(value, "user.password");
    else if (value.kind === "drawn") names.set(value, OF_USER[value.call] ?? quoted(value.call));
  }
  return { typeOf: () => "unknown", drawnBefore: names };
}

/** Returns the other values in a body that are equal to the password, because their fields repeat it, such as `password_confirmation`. */
function repeatedIn(value: PlannedValue, password: PlannedValue | undefined): readonly PlannedValue[] {
  if (value.kind !== "object") return [];
  return value.entries.flatMap(([name, of]) => {
    if (of.kind === "object") return repeatedIn(of, password);
    return (of.kind === "environment" || /pass|pwd/i.test(name)) && JSON.stringify(of) === JSON.stringify(password) ? [of] : [];
  });
}

function credentialsOf({ operation }: PlannedAction, hasCredentials: boolean): readonly Code[] {
  return hasCredentials && operation.security.length > 0 ? [text("...credentials")] : [];
}

/** Generated code for values that must differ between users, such as emails. The values are derived from the name of the user. */
const OF_USER: Readonly<Partial<Record<Extract<PlannedValue, { readonly kind: "drawn" }>["call"], string>>> = {
  email: `\`\${user.name.replace(/@.*/, "")}@example.com\``,
  username: `user.name.replace(/@.*/, "")`,
  name: `user.name.replace(/@.*/, "")`,
  word: `user.name.replace(/@.*/, "")`,
};

function inside({ parameters, body }: PlannedAction): readonly PlannedValue[] {
  const all = (value: PlannedValue): readonly PlannedValue[] => {
    if (value.kind === "list") return [value, ...value.items.flatMap(all)];
    return value.kind === "object" ? [value, ...value.entries.flatMap(([, one]) => all(one))] : [value];
  };
  return [...parameters.map(({ value }) => value), ...(body === undefined ? [] : [body.value])].flatMap(all);
}

interface UserShape {
  readonly fields: readonly string[];
  readonly variables: readonly string[];
  readonly placeholders: (name: string) => readonly string[];
}

function userOf(login: PlannedLogin): UserShape {
  const named = { fields: ["name", "password"], placeholders: (name: string) => [name, "password"] };
  switch (login.kind) {
    case "operation": {
      const [user, password] = [login.userField, login.passwordField].map((field) => {
        const value = sentAt(login.action, field);
        return value?.kind === "environment" ? value : undefined;
      });
      return {
        fields: ["name", "password"],
        variables: [user?.name ?? "API_USER", password?.name ?? "API_PASSWORD"],
        placeholders: (name) => [user?.otherwise.includes("@") === true ? `${name}@example.com` : name, password?.otherwise ?? "password"],
      };
    }
    case "basic":
      return { ...named, variables: [login.userVariable, login.passwordVariable] };
    default:
      return { fields: ["token"], variables: [login.variable], placeholders: () => [""] };
  }
}

function loginBody(
  login: PlannedLogin,
  hasCredentials: boolean,
): { readonly imports: readonly string[]; readonly body: readonly string[] } {
  switch (login.kind) {
    case "basic":
      return { imports: [], body: ["api.setBasicAuth(user.name, user.password);"] };
    case "bearer":
      return { imports: [], body: ["api.setAuthToken(user.token);"] };
    case "apiKey":
      return { imports: [], body: [keyStatement(login, "user.token")] };
    case "operation":
      return { imports: login.token.length === 0 ? [] : ["read"], body: operationBody(login, hasCredentials) };
  }
}

function keyStatement({ in: place, name, scheme }: PlannedApiKey, value: string): string {
  if (place === "header") return headerStatement(name, scheme ?? "", value);
  // Send the cookie without encoding it, because the user copies the cookie from a browser in encoded form.
  return `api.setHeader("cookie", \`${templateText(name)}=\${${value}}\`);`;
}

function headerStatement(name: string, scheme: string, token: string): string {
  return `api.setHeader(${quoted(name)}, ${scheme === "" ? token : `\`${templateText(scheme)} \${${token}}\``});`;
}

function operationBody(login: Extract<PlannedLogin, { readonly kind: "operation" }>, hasCredentials: boolean): readonly string[] {
  const action = withoutContext(login.action);
  const scope = scopeOf(action, login.userField, login.passwordField);
  const start = "const response = await ";
  const isByCookie = login.token.length === 0 && login.answerHeader === undefined;
  const what = isByCookie
    ? " did not log in. It was answered ${response.statusCode}.`);"
    : " returned no token. It was answered ${response.statusCode}.`);";
  const failed = row("throw new Error(`", templateText(callOf(action)), what);
  const request =
    action.graphql === undefined ? requestCode(action, scope, credentialsOf(action, hasCredentials)) : fieldCode(action, scope);
  return [
    ...queryLines(action, 2).map((line) => line.slice(2)),
    `${start}${laidOut(request, 2, 2 + start.length, 1)};`,
    ...(isByCookie ? cookieLines(failed) : tokenLines(login, failed)),
  ];
}

/**
 * Returns the lines of a login by cookie, which only check the answer. The client stores the cookie automatically. A redirect is accepted, because
 * many login forms answer with a redirect.
 */
const cookieLines = (failed: Code): readonly string[] => [laidOut(row("if (response.statusCode >= 400) ", failed), 2, 2, 0)];

const tokenLines = (
  { token, answerHeader, header }: Extract<PlannedLogin, { readonly kind: "operation" }>,
  failed: Code,
): readonly string[] => [
  answerHeader === undefined
    ? `const token = read<string>(${["response", ...token.map(quoted)].join(", ")});`
    : `const token = response.headers[${quoted(answerHeader)}]${header === undefined ? '?.replace(/^Bearer /i, "")' : ""};`,
  laidOut(row("if (token === undefined) ", failed), 2, 2, 0),
  header === undefined ? "api.setAuthToken(token);" : headerStatement(header.name, header.scheme, "token"),
];

function sentAt({ body, parameters }: PlannedAction, field: string): PlannedValue | undefined {
  return (body && fieldIn(body.value, field)) ?? parameters.find(({ name }) => name === field)?.value;
}

function fieldIn(value: PlannedValue, field: string): PlannedValue | undefined {
  if (value.kind !== "object") return undefined;
  const own = value.entries.find(([name]) => name === field)?.[1];
  return own ?? value.entries.map(([, of]) => fieldIn(of, field)).find((found) => found !== undefined);
}

/** Replaces context values in an action by constants, because a login has no context and is not a step of a path. */
function withoutContext(action: PlannedAction): PlannedAction {
  const plain = (value: PlannedValue): PlannedValue => {
    switch (value.kind) {
      case "context":
        return { kind: "constant", value: value.key };
      case "object":
        return { kind: "object", entries: value.entries.map(([name, of]) => [name, plain(of)]) };
      case "list":
        return { kind: "list", items: value.items.map(plain) };
      default:
        // Copy the value, because the caller uses the identity of the object to distinguish fields with equal values.
        return { ...value };
    }
  };
  return {
    ...action,
    parameters: action.parameters.map((one) => ({ ...one, value: plain(one.value) })),
    body: action.body && { ...action.body, value: plain(action.body.value) },
  };
}
