import type { Moved, PlannedAction, PlannedKey, PlannedValue, Production } from "../../infer/plan.ts";
import type { NamedAction } from "../names.ts";
import { actionType, callOf, fieldCode, queryLines } from "./field.ts";
import { identifier, slug, unique } from "./identifier.ts";
import { flat, laidOut, WIDTH, type Code } from "./layout.ts";
import { pathCode, requestCode, segmentCode } from "./request.ts";
import { commentText, oneLine, quoted } from "./text.ts";
import { constantOf, valueCode, type ValueScope } from "./value.ts";

/** The length of a URL path in characters above which a call with this path and two options does not fit on one line of generated code. */
const LONG_PATH = 85;

export interface ActionParts {
  readonly typeOf: (key: string) => PlannedKey["type"];
  /** The values that could not be inferred, one line each. The generated code contains these lines as comments. */
  readonly toDo: readonly string[];
  readonly credentials: readonly Code[];
}

export function actionCode(named: NamedAction, parts: ActionParts): string {
  const { action } = named;
  const type = actionType(action.graphql !== undefined);
  const lines = [
    ...docLines(action),
    `export const ${named.identifier}: ${type} = new ${type}({`,
    `  name: ${quoted(named.name)},`,
    `  tags: [${tagsOf(action).map(quoted).join(", ")}],`,
    ...precondition(action, named.counter),
    ...parts.toDo.flatMap((line) => wrapped(`To do: ${commentText(line)}`).map((part) => `  // ${part}`)),
    ...runLines(named, parts),
    "});",
  ];
  return lines.join("\n");
}

/**
 * Returns the names that a generated action imports from other files of the folder. The names come from the plan: a search in the generated code
 * would also find these names as words in texts of the description.
 */
export function usesOf({ action, counter }: NamedAction, { credentials }: Pick<ActionParts, "credentials">): readonly string[] {
  const { parameters, body, produces, graphql } = action;
  const sent = produces.flatMap((production) => (production.from === "sent" ? [production.value] : []));
  const values = [...parameters.map(({ value }) => value), ...(body === undefined ? [] : [body.value]), ...sent].flatMap(inside);
  return [
    ...(counter === undefined ? [] : ["MOST_OF_A_KIND"]),
    ...(graphql === undefined ? [] : ["GraphQLClient"]),
    ...(credentials.length === 0 || graphql !== undefined ? [] : ["credentials"]),
    ...(values.some(({ kind }) => kind === "environment") ? ["fromEnvironment"] : []),
    ...(produces.some(({ from }) => from === "location") ? ["lastSegment"] : []),
    ...(produces.some(({ from }) => from === "body") ? ["read"] : []),
  ];
}

function docLines(action: PlannedAction): readonly string[] {
  const { operation } = action;
  const call = commentText(callOf(action));
  const says = commentText(operation.summary ?? operation.description ?? "");
  const lines = [
    ...wrapped(says === "" ? "" : /[.!?…]$/.test(says) ? says : `${says}.`),
    call,
    ...(operation.deprecated ? ["Deprecated."] : []),
  ];
  return lines.length === 1 ? [`/** ${call} */`] : ["/**", ...lines.map((line) => ` * ${line}`), " */"];
}

function wrapped(says: string): readonly string[] {
  const lines: string[] = [];
  for (const word of says.split(" ").filter((one) => one !== "")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 4 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function tagsOf({ operation, kind }: PlannedAction): readonly string[] {
  const own = operation.tags.map((tag) => slug(oneLine(tag), "")).filter((tag) => tag !== "");
  return [...new Set([...own, kind, ...(operation.deprecated ? ["deprecated"] : [])])];
}

function precondition({ needs, restores }: PlannedAction, counter: string | undefined): readonly string[] {
  const alone = needs.length + (counter === undefined ? 0 : 1) === 1;
  const conditions = [
    ...needs.map((key) => {
      const has = `context.has(${quoted(key)})`;
      if (restores?.to !== key) return has;
      const either = `context.has(${quoted(restores.from)}) || ${has}`;
      return alone ? either : `(${either})`;
    }),
    ...(counter === undefined ? [] : [`context.get(${quoted(counter)}, { default: 0 }) < MOST_OF_A_KIND`]),
  ];
  if (conditions.length === 0) return [];
  const line = `  precondition: (context) => ${conditions.join(" && ")},`;
  if (line.length <= WIDTH) return [line];
  return ["  precondition: (context) =>", ...conditions.map((one, index) => `    ${one}${index + 1 < conditions.length ? " &&" : ","}`)];
}

function runLines({ action, counter }: NamedAction, { typeOf, credentials }: ActionParts): readonly string[] {
  const locals = new Set(["api", "context", "response", "query"]);
  const drawn = drawnBefore(action, locals);
  const scope: ValueScope = {
    typeOf,
    drawnBefore: new Map([...drawn].flatMap(([name, { values }]) => values.map((value) => [value, name]))),
  };
  const segments = action.graphql === undefined ? longPath(action, scope, locals) : new Map<PlannedValue, string>();
  const request = action.graphql === undefined ? requestCode(action, scope, credentials, segments) : fieldCode(action, scope);
  const plain: ValueScope = { ...scope, drawnBefore: new Map() };
  const before = [
    ...queryLines(action, 4),
    ...[...drawn].map(([name, { value }]) => statement(`const ${name} = `, valueCode(value, plain), 4)),
    ...[...segments].map(([value, name]) => statement(`const ${name} = `, segmentCode(value, scope), 4)),
  ];
  const after = [
    ...action.produces.flatMap((production) => productionLines(production, scope, locals)),
    ...(counter === undefined ? [] : [`context.set(${quoted(counter)}, context.get(${quoted(counter)}, { default: 0 }) + 1);`]),
    ...(action.keeps ?? []).map(({ from, to }) => `context.set(${quoted(to)}, context.getRequired(${quoted(from)}));`),
    ...(action.restores === undefined ? [] : restoredLines(action.restores, locals)),
    ...action.frees.map((key) => `context.delete(${quoted(key)});`),
  ];
  if (before.length + after.length === 0) return expressionBody(request);
  const usesContext = after.length + drawn.size + segments.size > 0 || /\bcontext\./.test(flat(request));
  const head = `  run: async (${usesContext ? "api, context" : "api"}) => {`;
  if (after.length === 0) return [head, ...before, statement("return ", request, 4), "  },"];
  const single = `    if (response.ok) ${after[0]}`;
  const kept =
    after.length === 1 && single.length <= WIDTH ? [single] : ["    if (response.ok) {", ...after.map((line) => `      ${line}`), "    }"];
  return [head, ...before, statement("const response = await ", request, 4), ...kept, "    return response;", "  },"];
}

/** Returns the lines of a generated `run` function that only returns a request: `run: async (api) => api.get("/orders"),` */
function expressionBody(request: Code): readonly string[] {
  const head = `  run: async (${/\bcontext\./.test(flat(request)) ? "api, context" : "api"}) =>`;
  const line = `${head} ${flat(request)},`;
  return line.length <= WIDTH ? [line] : [head, `    ${laidOut(request, 4, 4, 1)},`];
}

function statement(start: string, code: Code, indent: number): string {
  return `${" ".repeat(indent)}${start}${laidOut(code, indent, indent + start.length, 1)};`;
}

/** Returns the names of constants for the parameters of a URL path that is too long for one line. Returns no names for other paths. */
function longPath(action: PlannedAction, scope: ValueScope, locals: Set<string>): ReadonlyMap<PlannedValue, string> {
  const filled = action.parameters.filter(
    ({ name, in: place, value }) => place === "path" && constantOf(value) === undefined && action.operation.path.includes(`{${name}}`),
  );
  const { length } = flat(pathCode(action, scope, new Map()));
  if (filled.length < 2 || length <= LONG_PATH) return new Map();
  return new Map(filled.map(({ value }) => [value, unique(value.kind === "context" ? identifier(value.key, "Value") : "segment", locals)]));
}

/**
 * Returns the random values that the action sends and also stores in the context. The generated code assigns each such value to a constant before the
 * request. Each entry has the name of the constant, the value, and all equal values in the request.
 */
function drawnBefore(
  { parameters, body, produces }: PlannedAction,
  locals: Set<string>,
): ReadonlyMap<string, { readonly value: PlannedValue; readonly values: readonly PlannedValue[] }> {
  const sent = [...parameters.map(({ value }) => value), ...(body === undefined ? [] : [body.value])].flatMap(inside);
  const found = new Map<string, { readonly value: PlannedValue; readonly values: readonly PlannedValue[] }>();
  for (const production of produces) {
    if (production.from !== "sent" || !inside(production.value).some(({ kind }) => kind === "drawn")) continue;
    const { value } = production;
    // Usually, the stored value and the value in the request are the same object. If not, use the first equal value in the request.
    const same = sent.includes(value) ? value : sent.find((one) => JSON.stringify(one) === JSON.stringify(value));
    found.set(unique(identifier(production.key, "Value"), locals), { value, values: same === undefined ? [value] : [value, same] });
  }
  return found;
}

function inside(value: PlannedValue): readonly PlannedValue[] {
  if (value.kind === "list") return [value, ...value.items.flatMap(inside)];
  return value.kind === "object" ? [value, ...value.entries.flatMap(([, of]) => inside(of))] : [value];
}

function productionLines(production: Production, scope: ValueScope, locals: Set<string>): readonly string[] {
  const { key } = production;
  const type = scope.typeOf(key);
  if (production.from === "sent") return [`context.set(${quoted(key)}, ${sentAs(production.value, type, scope)});`];
  const name = unique(identifier(key, "Value"), locals);
  const written = { string: "string", number: "number", unknown: "string | number" }[type];
  const path = production.from === "body" ? production.path.map((part) => (typeof part === "number" ? String(part) : quoted(part))) : [];
  const value =
    production.from === "location" ? `lastSegment<${written}>(response)` : `read<${written}>(${["response", ...path].join(", ")})`;
  return [`const ${name} = ${value};`, `if (${name} !== undefined) context.set(${quoted(key)}, ${name});`];
}

/** Returns code that restores the id of an item under its own context key, if the id was stored under another key when the item was deleted. */
function restoredLines({ from, to }: Moved, locals: Set<string>): readonly string[] {
  const name = unique(identifier(to, "Value"), locals);
  return [
    `const ${name} = context.get(${quoted(from)});`,
    `if (${name} !== undefined) context.set(${quoted(to)}, ${name});`,
    `context.delete(${quoted(from)});`,
  ];
}

/** Returns code for a sent value that is stored in the context, converted to the type of its context key. */
function sentAs(value: PlannedValue, type: PlannedKey["type"], scope: ValueScope): string {
  const code = flat(valueCode(value, scope));
  const own = typeOfSent(value, scope);
  if (type === own || (type === "unknown" && own !== "other")) return code;
  const textual = own === "other" ? `JSON.stringify(${code})` : code;
  return type === "number" ? `Number(${textual})` : own === "other" ? textual : `String(${textual})`;
}

function typeOfSent(value: PlannedValue, scope: ValueScope): PlannedKey["type"] | "other" {
  switch (value.kind) {
    case "constant":
      return typeof value.value === "string" || typeof value.value === "number" ? (typeof value.value as "string" | "number") : "other";
    case "context":
      return scope.typeOf(value.key);
    case "object":
    case "list":
      return "other";
    default:
      return "string";
  }
}
