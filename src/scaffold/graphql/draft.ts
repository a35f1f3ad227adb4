import { getNamedType, isScalarType, isCompositeType } from "graphql";
import { groupName } from "../infer/resources/group-name.ts";
import { identifier } from "../infer/resources/identifiers.ts";
import type { NotInferred, PlannedAction, PlannedKey, PlannedValue, Production } from "../infer/plan.ts";
import { variablesOf, type Variable } from "./arguments.ts";
import type { Entity } from "./entities.ts";
import type { FoundId, Step } from "./find-ids.ts";
import { withoutId, type IdMatcher, type Place } from "./match-ids.ts";
import type { Known } from "./producers.ts";
import type { RootField } from "./root-fields.ts";
import type { Selector } from "./selection.ts";
import { isDeprecated, isList, listDepth } from "./shapes.ts";

export interface Knowledge {
  readonly matcher: IdMatcher;
  readonly selector: Selector;
  readonly names: ReadonlyMap<RootField, string>;
  readonly gives: ReadonlyMap<RootField, readonly FoundId[]>;
  /** Maps each context key, for example `order_id`, to the name of the first action that sets it. */
  readonly producers: ReadonlyMap<string, string>;
  readonly path: string;
}

export interface Draft {
  readonly known: Known;
  readonly action: PlannedAction;
  /** The context keys that the action uses. The action can be called without the keys whose value in the map is `optional`. */
  readonly needs: ReadonlyMap<string, "required" | "optional">;
  readonly open: readonly PlannedKey[];
  readonly notInferred: readonly NotInferred[];
  /** The number of ids that the action takes (`all`), and the number of these ids that another action returns (`inferred`). */
  readonly ids: { readonly all: number; readonly inferred: number };
}

/**
 * Drafts an action for one query or mutation. Returns `undefined` if a required value cannot be built.
 * @param avoid Context keys that the action must not use in optional places.
 */
export function draftAction(
  known: Known,
  knowledge: Knowledge,
  avoid: ReadonlySet<string> = new Set(),
  wanted: readonly (readonly Step[])[] = [],
): Draft | undefined {
  const { root, answers } = known;
  const { matcher, names, producers } = knowledge;
  const name = names.get(root)!;
  const produced = knowledge.gives.get(root) ?? [];
  const needs = new Map<string, "required" | "optional">();
  const open: PlannedKey[] = [];
  const notInferred: NotInferred[] = [];
  const reasons = new Map<string, string>();
  let [all, inferred] = [0, 0];
  const use = (place: Place, key: string, type: PlannedKey["type"], required: boolean): PlannedValue => {
    if (needs.get(key) !== "required") needs.set(key, required ? "required" : "optional");
    let value: PlannedValue = { kind: "context", key, ...converted(place, type) };
    for (let depth = listDepth(place.type); depth > 0; depth--) value = { kind: "list", items: [value] };
    return value;
  };
  const idValue = (place: Place, required: boolean): PlannedValue | undefined => {
    const entity = isNodeField(root) ? anyThing(root, knowledge) : matcher.match(place, root, answers);
    const key = entity?.key;
    const own = produced.some((one) => one.entity.key === key);
    const isAsked = required || root.kind === "mutation" || isOwnId(entity, known);
    if (key !== undefined && producers.has(key) && !own && !avoid.has(key) && isAsked) {
      all++;
      inferred++;
      reasons.set(pathOf(place), `${entity?.idField ?? "id"} of ${producers.get(key)!}'s answer`);
      return use(place, key, entity!.idType, required);
    }
    if (!required || !isIdType(place)) return undefined;
    // A call that creates an object may let the client choose the id of the new object. Send a random UUID as the id.
    if (own && root.verb === "create" && withoutId(place.name).length === 0) return { kind: "drawn", call: "uuid" };
    all++;
    const missing = entity?.key ?? identifier(`${withoutId(place.name).join("_") || names.get(root)!}_id`, "id");
    const type = entity?.idType ?? "string";
    if (!open.some((one) => one.key === missing)) open.push({ key: missing, type });
    notInferred.push({
      action: name,
      what: `argument ${pathOf(place)}`,
      hint: `No query or mutation of the schema returns this id. Give "${missing}" a value in setup.ts, or set it in an action.`,
    });
    return use(place, missing, type, true);
  };
  const unsure = (what: string, hint: string): void => void notInferred.push({ action: name, what, hint });
  const creates = root.verb === "create" || (root.kind === "mutation" && produced.length > 0);
  const variables = variablesOf({ args: root.field.args, idValue, creates, isQuery: root.kind === "query", unsure });
  if (variables === undefined) return undefined;
  const { selector } = knowledge;
  const selection = selector.select(root.field, [...produced.map(({ steps }) => steps), ...wanted]);
  const noun = matcher.noun(root);
  const about = produced[0]?.entity ?? noun ?? answers[0]?.entity ?? known.taken[0]?.entity;
  const kind = kindOf(known, produced);
  const action: PlannedAction = {
    operation: {
      method: "post",
      path: knowledge.path,
      id: root.field.name,
      tags: [root.kind],
      summary: undefined,
      description: descriptionOf(root),
      deprecated: isDeprecated(root.field.deprecationReason),
      parameters: [],
      body: undefined,
      responses: [],
      security: [],
      pointer: "",
    },
    name,
    group: groupName(about === undefined ? (root.kind === "query" ? "queries" : "mutations") : about.name.replaceAll("_", "-")),
    kind,
    resource: kind === "create" ? (produced[0]?.entity.name ?? noun?.name) : about?.name,
    parameters: [],
    body:
      variables.length === 0
        ? undefined
        : { as: "json", mediaType: "application/json", value: { kind: "object", entries: variables.map((one) => [one.name, one.value]) } },
    needs: [...needs.keys()],
    produces: produced.map((one) => productionOf(one, root)),
    frees: kind === "delete" ? freed(known, noun, needs) : [],
    graphql: {
      kind: root.kind,
      name: root.field.name,
      document: documentOf(root, variables, selection),
      reasons: [...reasons].map(([of, why]) => ({ name: of, why })),
    },
  };
  return { known, action, needs, open, notInferred, ids: { all, inferred } };
}

function kindOf({ root, answers, taken }: Known, produced: readonly FoundId[]): PlannedAction["kind"] {
  if (root.verb === "delete") return "delete";
  if (root.kind === "query") {
    if (isList(root.field.type) || (answers.length > 0 && answers.every(({ listed }) => listed))) return "list";
    return answers.length > 0 || taken.length > 0 ? "read" : "other";
  }
  if (root.verb === "create" || produced.length > 0) return "create";
  return root.verb === "update" ? "update" : "other";
}

/**
 * Returns the context key of the object that a mutation deletes, as a list: the object in the mutation's name, else the only object whose id the
 * mutation takes. Returns an empty list if there is no such object.
 */
function freed({ taken }: Known, noun: Entity | undefined, needs: ReadonlyMap<string, unknown>): readonly string[] {
  const keys = [...new Set(taken.map(({ entity }) => entity.key))].filter((key) => needs.has(key));
  if (noun !== undefined && keys.includes(noun.key)) return [noun.key];
  return keys.length === 1 ? keys : [];
}

function productionOf({ entity, steps }: FoundId, { field }: RootField): Production {
  const path: (string | number)[] = ["data", field.name, ...Array.from({ length: listDepth(field.type) }, () => 0)];
  for (const step of steps) path.push(step.field, ...Array.from({ length: step.lists }, () => 0));
  return { key: entity.key, from: "body", path };
}

/** Returns `true` if a query or mutation returns the object whose id it takes, for example `order(id)`. */
function isOwnId(entity: Entity | undefined, { answers }: Known): boolean {
  return entity !== undefined && answers.some((one) => !one.listed && one.entity.key === entity.key);
}

/** Returns `true` for the query `node` of Relay, which returns an object of any type by its id. */
function isNodeField({ kind, field }: RootField): boolean {
  return kind === "query" && /^nodes?$/.test(field.name) && getNamedType(field.type).name === "Node";
}

function anyThing({ field }: RootField, { producers, matcher }: Knowledge): Entity | undefined {
  const { name } = getNamedType(field.type);
  return matcher.entities.find(({ key, type }) => producers.has(key) && type.getInterfaces().some((one) => one.name === name));
}

/**
 * Returns the conversion of an id for an argument of another scalar type. For example, an `ID` is a text in answers, but a variable of type `Int`
 * must be a number.
 */
function converted({ type }: Place, own: PlannedKey["type"]): { readonly as?: "number" | "string" } {
  const { name } = getNamedType(type);
  if ((name === "Int" || name === "Float") && own !== "number") return { as: "number" };
  return name === "String" && own !== "string" ? { as: "string" } : {};
}

function isIdType({ type }: Place): boolean {
  const named = getNamedType(type);
  return isScalarType(named) && named.name === "ID";
}

function pathOf({ name, inside }: Place): string {
  return [...inside.map((one) => one.name), name].join(".");
}

function descriptionOf({ field }: RootField): string | undefined {
  const parts = [field.description ?? "", !isDeprecated(field.deprecationReason) ? "" : `Deprecated: ${field.deprecationReason}`];
  const text = parts.filter((part) => part.trim() !== "").join(" ");
  return text === "" ? undefined : text;
}

/**
 * Returns the text of a GraphQL operation with one root field. Names need no escaping, because GraphQL allows only letters, digits and `_` in them.
 */
function documentOf({ kind, field }: RootField, variables: readonly Variable[], selection: readonly string[]): string {
  const declared = variables.length === 0 ? "" : `(${variables.map(({ name, type }) => `$${name}: ${type}`).join(", ")})`;
  const args = variables.length === 0 ? "" : `(${variables.map(({ name }) => `${name}: $${name}`).join(", ")})`;
  const head = `${kind} ${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}${declared} {`;
  if (!isCompositeType(getNamedType(field.type))) return [head, `  ${field.name}${args}`, "}"].join("\n");
  return [head, `  ${field.name}${args} {`, ...selection.map((line) => `    ${line}`), "  }", "}"].join("\n");
}

/**
 * Orders actions: an action that returns an id comes before the actions that need it, and deletes come last. Otherwise, the order of the schema is
 * kept. If two actions need each other's ids, their optional ids are left out.
 * @param redraft Drafts an action again without the given context keys.
 */
export function orderDrafts(
  drafts: readonly Draft[],
  redraft: (draft: Draft, avoid: ReadonlySet<string>) => Draft | undefined,
): { readonly drafts: readonly Draft[]; readonly lost: readonly NotInferred[] } {
  const isDelete = ({ action }: Draft): boolean => action.kind === "delete";
  const givable = new Set(drafts.flatMap(({ action }) => action.produces.map(({ key }) => key)));
  const have = new Set<string>();
  const ordered: Draft[] = [];
  const lost: NotInferred[] = [];
  const missing = ({ needs }: Draft): readonly string[] => [...needs.keys()].filter((key) => givable.has(key) && !have.has(key));
  const put = (draft: Draft): void => {
    ordered.push(draft);
    for (const { key } of draft.action.produces) have.add(key);
  };
  let waiting = drafts.filter((one) => !isDelete(one));
  while (waiting.length > 0) {
    const ready = waiting.filter((one) => missing(one).length === 0);
    if (ready.length > 0) {
      const settled = new Set(ready);
      ready.forEach(put);
      waiting = waiting.filter((one) => !settled.has(one));
      continue;
    }
    const loose = waiting.findIndex((one) => missing(one).every((key) => one.needs.get(key) === "optional"));
    const draft = waiting[Math.max(loose, 0)]!;
    const again = loose === -1 ? undefined : redraft(draft, new Set(missing(draft)));
    waiting = waiting.filter((one) => one !== draft);
    if (again === undefined) {
      for (const key of missing(draft)) {
        const hint = `Only calls that need "${key}" return its value. Give the key a value in setup.ts, or set it in an action.`;
        lost.push({ action: draft.action.name, what: `argument for ${key}`, hint });
      }
    }
    put(again ?? draft);
  }
  return { drafts: [...ordered, ...drafts.filter(isDelete)], lost };
}
