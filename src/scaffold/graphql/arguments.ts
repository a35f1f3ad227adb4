import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from "graphql";
import type { PlannedValue } from "../infer/plan.ts";
import { scalarFor } from "./scalar.ts";
import { takesId, type Place } from "./match-ids.ts";
import { isDeprecated, isReserved } from "./shapes.ts";

/** Returns the value for an argument or input field that takes the id of an object. Returns `undefined` if no such value is known. */
export type IdValue = (place: Place, required: boolean) => PlannedValue | undefined;

export interface ArgumentsInput {
  readonly args: readonly GraphQLArgument[];
  readonly idValue: IdValue;
  readonly creates: boolean;
  readonly isQuery: boolean;
  readonly unsure: (what: string, hint: string) => void;
}

export interface Variable {
  readonly name: string;
  /** The GraphQL type of the variable, for example `[ID!]!`. */
  readonly type: string;
  readonly value: PlannedValue;
}

/** The maximum nesting depth of optional input objects in an argument. Required input objects may be nested up to `DEEPEST_REQUIRED`. */
const DEEPEST = 4;
const DEEPEST_REQUIRED = 24;
/** The maximum number of input fields that are examined for one argument. The limit bounds the work for very large input types. */
const MOST_LOOKED_AT = 3000;

/**
 * Returns the variables of a GraphQL call: all required values, and optional ids that are known. Returns `undefined` if a required value cannot be
 * built.
 */
export function variablesOf(input: ArgumentsInput): readonly Variable[] | undefined {
  const variables: Variable[] = [];
  for (const arg of input.args) {
    const value = argumentValue(arg, input);
    if (value === "impossible") return undefined;
    if (value !== undefined) variables.push({ name: arg.name, type: String(arg.type), value });
  }
  return variables;
}

function argumentValue(arg: GraphQLArgument, input: ArgumentsInput): PlannedValue | "impossible" | undefined {
  const required = isRequiredArgument(arg);
  if (isReserved(arg.name)) return required ? "impossible" : undefined;
  // The argument `first` (the number of items) is always sent. Some servers require it although their schema declares it as optional.
  if (!required && arg.name === "first" && String(arg.type) === "Int" && !arg.defaultValue) return { kind: "constant", value: 10 };
  const builder = new Builder(input);
  const value = builder.optional(arg, required, [], 0);
  return value ?? (required ? "impossible" : undefined);
}

class Builder {
  readonly #input: ArgumentsInput;
  #lookedAt = 0;

  constructor(input: ArgumentsInput) {
    this.#input = input;
  }

  /** Returns a value for a required field. Returns a value for an optional field only if the value contains an id that another call returns. */
  optional(of: GraphQLArgument | GraphQLInputField, required: boolean, inside: Place["inside"], depth: number): PlannedValue | undefined {
    if (this.#lookedAt++ > MOST_LOOKED_AT) return undefined;
    const place: Place = { name: of.name, type: of.type, inside };
    const id = takesId(place) ? this.#input.idValue(place, required) : undefined;
    if (id !== undefined) return id;
    if (required) return this.#value(place, of.type, depth);
    const named = getNamedType(of.type);
    if (!isInputObjectType(named) || depth >= DEEPEST || this.#input.isQuery || inside.some(({ type }) => type === named.name))
      return undefined;
    const value = this.#value(place, of.type, depth);
    return value !== undefined && hasKey(value) ? value : undefined;
  }

  #value(place: Place, type: GraphQLInputType, depth: number): PlannedValue | undefined {
    const own = getNullableType(type);
    if (isListType(own)) {
      const item = this.#value(place, own.ofType, depth);
      // No item can be built if its type requires an object of the same type. The field then gets an empty list, which is a valid value.
      return { kind: "list", items: item === undefined ? [] : [item] };
    }
    if (isEnumType(own)) {
      const value =
        own.getValues().find(({ deprecationReason, name }) => !isDeprecated(deprecationReason) && !isReserved(name)) ?? own.getValues()[0];
      return value === undefined ? undefined : { kind: "constant", value: value.name };
    }
    if (isInputObjectType(own)) return this.#object(place, own, depth);
    return isScalarType(own) ? this.#scalar(place, own.name) : undefined;
  }

  #object(place: Place, type: GraphQLInputObjectType, depth: number): PlannedValue | undefined {
    if (depth >= DEEPEST_REQUIRED || place.inside.some((one) => one.type === type.name)) return undefined;
    const inside = [...place.inside, { name: place.name, type: type.name }];
    const fields = Object.values(type.getFields()).filter(({ name }) => !isReserved(name));
    if (type.isOneOf) return this.#oneOf(fields, inside, depth);
    const entries: (readonly [string, PlannedValue])[] = [];
    // `true` if all required fields of the input are ids. Optional plain fields are then sent too, because the input would otherwise be almost empty.
    const loose = !this.#input.isQuery && !fields.some((field) => isRequiredInputField(field) && !takesId({ ...field, inside }));
    for (const field of fields) {
      const required = isRequiredInputField(field);
      const plain = loose && depth < 2 && isPlain(field) && !takesId({ ...field, inside }) && !isDeprecated(field.deprecationReason);
      const value = this.optional(field, required || plain, inside, depth + 1);
      if (value !== undefined) entries.push([field.name, value]);
      else if (required) return undefined;
    }
    return { kind: "object", entries };
  }

  /** Builds an input object with exactly one field: the first field with an id that another call returns, else the first field that can be built. */
  #oneOf(fields: readonly GraphQLInputField[], inside: Place["inside"], depth: number): PlannedValue | undefined {
    let first: PlannedValue | undefined;
    for (const field of fields) {
      const value = this.optional(field, true, inside, depth + 1);
      if (value === undefined) continue;
      const made: PlannedValue = { kind: "object", entries: [[field.name, value]] };
      if (hasKey(value)) return made;
      first ??= made;
    }
    return first;
  }

  #scalar(place: Place, typeName: string): PlannedValue | undefined {
    const type = getNamedType(place.type);
    if (!isScalarType(type)) return undefined;
    const what = [...place.inside.map(({ name }) => name), place.name].join(".");
    if (/^(upload|file)$/i.test(typeName)) {
      this.#input.unsure(`argument ${what}`, `seqqa cannot send files (${typeName}). Remove the action, or write its request yourself.`);
      return undefined;
    }
    const { value, known } = scalarFor(type, place.name, this.#input.creates);
    if (!known)
      this.#input.unsure(
        `argument ${what}`,
        `The schema does not describe the values of ${typeName}. Write a value that the server accepts.`,
      );
    return value;
  }
}

function isPlain({ type }: GraphQLInputField): boolean {
  const own = getNullableType(type);
  return isEnumType(own) || (isScalarType(own) && /^(String|Int|Float|Boolean)$/.test(own.name));
}

function hasKey(value: PlannedValue): boolean {
  if (value.kind === "list") return value.items.some(hasKey);
  return value.kind === "context" || (value.kind === "object" && value.entries.some(([, of]) => hasKey(of)));
}
