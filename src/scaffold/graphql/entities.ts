import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from "graphql";
import { identifier } from "../infer/resources/identifiers.ts";
import type { PlannedKey } from "../infer/plan.ts";
import { singularName, squashed } from "../infer/resources/words.ts";
import { callable } from "./shapes.ts";

/** A GraphQL type whose objects have an id. */
export interface Entity {
  readonly type: GraphQLObjectType | GraphQLInterfaceType;
  readonly name: string;
  readonly words: readonly string[];
  readonly key: string;
  readonly idField: string;
  readonly idType: PlannedKey["type"];
}

/** The names of fields that hold the id of an object, best first. */
const ID_FIELDS = ["id", "uuid", "guid", "objectid", "gid", "pk"];
const ID_SCALARS = /^(uuid|guid|uid|objectid|bigint|long|cuid|ulid|nanoid|globalid)/;
/** Matches the names of types that only wrap the answer of a call, such as `CreateOrderPayload`. Such types usually have no id. */
const WRAPPER = /(Payload|Result|Response|Connection|Edge|PageInfo|Output)$/;

/**
 * Returns the types whose objects have an id, by type name. Relay's interface `Node` is left out, because all types with an id implement this
 * interface, so it does not describe one kind of object.
 */
export function findEntities(schema: GraphQLSchema): ReadonlyMap<string, Entity> {
  const roots = new Set<GraphQLNamedType | null | undefined>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]);
  const found = new Map<string, Entity>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(isObjectType(type) || isInterfaceType(type)) || roots.has(type) || type.name.startsWith("__") || type.name === "Node") continue;
    const idField = idFieldOf(type);
    if (idField === undefined) continue;
    const name = singularName(type.name.replace(/(?<=[a-z0-9])_?(Type|Object|Node|Entity|Model|Dto|Response|Payload|Result|Output)$/, ""));
    if (name === "") continue;
    // A type and its wrapper, such as `Order` and `OrderResponse`, get the same context key, because both describe the same object.
    const key = identifier(`${name}_id`, "id");
    found.set(type.name, { type, name, words: name.split("_"), key, idField, idType: idTypeOf(type, idField) });
  }
  return found;
}

/** Returns the name of a field's scalar type without `!`. Returns `undefined` if the field is a list, an object or an enum. */
function scalarOf(type: Entity["type"], field: string): string | undefined {
  const own = getNullableType(type.getFields()[field]!.type);
  return isScalarType(own) ? own.name : undefined;
}

function idFieldOf(type: Entity["type"]): string | undefined {
  const fields = Object.values(type.getFields()).filter((field) => callable(field) && scalarOf(type, field.name) !== undefined);
  const wrapper = WRAPPER.test(type.name);
  const names = wrapper ? ["id"] : [...ID_FIELDS, squashed(`${type.name}Id`)];
  for (const name of names) {
    const field = fields.find((one) => squashed(one.name) === name);
    if (field !== undefined && isIdScalar(scalarOf(type, field.name)!)) return field.name;
  }
  const ids = fields.filter(({ name, type: own }) => getNamedType(own).name === "ID" && !/[iI][dD]$/.test(name));
  return !wrapper && ids.length === 1 ? ids[0]!.name : undefined;
}

function isIdScalar(name: string): boolean {
  return name === "ID" || name === "String" || name === "Int" || ID_SCALARS.test(squashed(name));
}

/** Returns the JSON type of an id field. GraphQL always sends a value of type `ID` as a string. */
function idTypeOf(type: Entity["type"], field: string): PlannedKey["type"] {
  const name = scalarOf(type, field);
  return name === "Int" ? "number" : name === "ID" || name === "String" || /^(uuid|guid)/i.test(name!) ? "string" : "unknown";
}
