import {
  getNamedType,
  isInputObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputField,
} from "graphql";
import type { Entity } from "./entities.ts";
import type { FoundId } from "./find-ids.ts";
import type { IdMatcher, Place } from "./match-ids.ts";
import type { RootField } from "./root-fields.ts";

export interface TakenId {
  readonly entity: Entity;
  readonly required: boolean;
}

const DEEPEST = 3;
const MOST = 500;

export function idsTaken(root: RootField, answers: readonly FoundId[], matcher: IdMatcher): readonly TakenId[] {
  const found: TakenId[] = [];
  let looked = 0;
  const look = (of: GraphQLArgument | GraphQLInputField, required: boolean, inside: Place["inside"]): void => {
    if (looked++ > MOST) return;
    const entity = matcher.match({ name: of.name, type: of.type, inside }, root, answers);
    if (entity !== undefined) found.push({ entity, required });
    const type = getNamedType(of.type);
    if (!isInputObjectType(type) || inside.length >= DEEPEST || inside.some((one) => one.type === type.name)) return;
    const within = [...inside, { name: of.name, type: type.name }];
    for (const field of Object.values(type.getFields())) look(field, required && isRequiredInputField(field), within);
  };
  for (const arg of root.field.args) look(arg, isRequiredArgument(arg), []);
  return found;
}
