import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from "graphql";
import type { Entity } from "./entities.ts";
import type { Step } from "./find-ids.ts";
import { callable, wrapping } from "./shapes.ts";

interface Selection {
  readonly fields: Map<string, { readonly arguments: string; readonly inner: Selection | undefined }>;
  /** The selections of inline fragments (`... on Type`), by the name of the type. */
  readonly fragments: Map<string, Selection>;
}

interface Place {
  /** The names of the fields that lead to this object in the answer, joined by `/`. */
  readonly at: string;
  readonly depth: number;
  readonly things: number;
  readonly above: readonly string[];
}

/** The maximum nesting depth of objects with an id in a query. Objects without an id do not count. */
const DEEPEST_THINGS = 2;
const DEEPEST = 6;
const MOST_FIELDS = 80;
const MOST_OF_AN_OBJECT = 25;
const MOST_MEMBERS = 6;

/**
 * Chooses the fields that a generated query requests: scalar fields of the answer's root object and of the objects near the root. Fields with
 * required arguments are left out.
 */
export class Selector {
  readonly #schema: GraphQLSchema;
  readonly #entities: ReadonlyMap<string, Entity>;
  /**
   * Maps the path of each selected field in the answer to its type and arguments. GraphQL rejects a query that selects two different fields at the
   * same path.
   */
  readonly #shapes = new Map<string, string>();
  #count = 0;

  constructor(schema: GraphQLSchema, entities: ReadonlyMap<string, Entity>) {
    this.#schema = schema;
    this.#entities = entities;
  }

  /**
   * Returns the lines of a selection set for a query or mutation, without the outer braces. Returns no lines if the answer is a scalar.
   * @param wanted Paths of fields that must be selected.
   */
  select(field: GraphQLField<unknown, unknown>, wanted: readonly (readonly Step[])[]): readonly string[] {
    this.#shapes.clear();
    this.#count = 0;
    const type = getNamedType(field.type);
    if (!isCompositeType(type)) return [];
    const selection = empty();
    for (const steps of wanted) this.#want(selection, type, steps, "");
    this.#fill(selection, type, { at: "", depth: 0, things: 0, above: [] });
    return linesOf(selection);
  }

  #want(into: Selection, type: GraphQLNamedType, [step, ...rest]: readonly Step[], at: string): void {
    if (step === undefined) return;
    const owner = step.on === undefined ? type : this.#schema.getType(step.on)!;
    const scope = step.on === undefined ? into : fragmentOf(into, step.on);
    const field = fieldsOf(owner).find(({ name }) => name === step.field);
    if (field === undefined) return;
    const inner = this.#add(scope, field, at);
    if (inner !== undefined) this.#want(inner, getNamedType(field.type), rest, `${at}/${field.name}`);
  }

  #fill(into: Selection, type: GraphQLNamedType, place: Place): void {
    const { at, depth, things, above } = place;
    const thing = this.#entities.get(type.name);
    const now = things + (thing === undefined ? 0 : 1);
    const fields = fieldsOf(type).filter(callable);
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
    // If an object with an id is inside another object with an id, select only the id of the inner object.
    const own = thing !== undefined && now > DEEPEST_THINGS - 1 ? leaves.filter(({ name }) => name === thing.idField) : leaves;
    for (const field of own.slice(0, MOST_OF_AN_OBJECT)) if (this.#count < MOST_FIELDS) this.#add(into, field, at);
    if (depth < DEEPEST && now < DEEPEST_THINGS) this.#fillObjects(into, fields, { at, depth, things: now, above: [...above, type.name] });
    if (isUnionType(type)) this.#fillMembers(into, type, place);
    if (isAbstractType(type) || (into.fields.size === 0 && into.fragments.size === 0)) this.#typename(into);
  }

  #fillObjects(into: Selection, fields: readonly Field[], { at, depth, things, above }: Place): void {
    for (const field of fields) {
      const inner = getNamedType(field.type);
      if (!isCompositeType(inner) || above.includes(inner.name) || this.#count >= MOST_FIELDS) continue;
      const selection = this.#add(into, field, at);
      if (selection !== undefined) this.#fill(selection, inner, { at: `${at}/${field.name}`, depth: depth + 1, things, above });
    }
  }

  #fillMembers(into: Selection, type: GraphQLNamedType, { at, depth, things, above }: Place): void {
    const members = isUnionType(type) ? type.getTypes().slice(0, MOST_MEMBERS) : [];
    for (const member of members) {
      if (above.includes(member.name) || this.#count >= MOST_FIELDS) continue;
      const fragment = fragmentOf(into, member.name);
      this.#fill(fragment, member, { at, depth: depth + 1, things, above: [...above, type.name] });
      if (fragment.fields.size === 0 && fragment.fragments.size === 0) into.fragments.delete(member.name);
    }
  }

  /**
   * Adds a field to a selection. Returns the selection inside the field if its value is an object. Returns `undefined` for a scalar, or if the field
   * was not added because it conflicts with a field of the same name in another type.
   */
  #add(into: Selection, field: Field, at: string): Selection | undefined {
    const before = into.fields.get(field.name);
    if (before !== undefined) return before.inner;
    const named = getNamedType(field.type);
    const args = argumentsOf(field);
    const shape = `${isCompositeType(named) ? "{}" : named.name}${wrapping(field.type)}${args}`;
    const place = `${at}/${field.name}`;
    if ((this.#shapes.get(place) ?? shape) !== shape) return undefined;
    this.#shapes.set(place, shape);
    this.#count++;
    const inner = isCompositeType(named) ? empty() : undefined;
    into.fields.set(field.name, { arguments: args, inner });
    return inner;
  }

  #typename(into: Selection): void {
    into.fields.set("__typename", { arguments: "", inner: undefined });
  }
}

type Field = GraphQLField<unknown, unknown>;

function fieldsOf(type: GraphQLNamedType): readonly Field[] {
  return "getFields" in type && isCompositeType(type) ? Object.values((type as { getFields(): Record<string, Field> }).getFields()) : [];
}

export function argumentsOf(field: Field): string {
  return field.args.some(({ name, type }) => name === "first" && String(type) === "Int") ? "(first: 10)" : "";
}

const empty = (): Selection => ({ fields: new Map(), fragments: new Map() });

function fragmentOf({ fragments }: Selection, type: string): Selection {
  const own = fragments.get(type) ?? empty();
  fragments.set(type, own);
  return own;
}

function linesOf({ fields, fragments }: Selection): readonly string[] {
  const block = (head: string, inner: Selection): readonly string[] => [`${head} {`, ...linesOf(inner).map((line) => `  ${line}`), "}"];
  return [
    ...[...fields].flatMap(([name, { arguments: args, inner }]) => (inner === undefined ? [name] : block(`${name}${args}`, inner))),
    ...[...fragments].flatMap(([type, inner]) => block(`... on ${type}`, inner)),
  ];
}
