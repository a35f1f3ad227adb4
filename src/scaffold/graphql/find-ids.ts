import { getNamedType, isCompositeType, isUnionType, type GraphQLField, type GraphQLOutputType } from "graphql";
import type { Entity } from "./entities.ts";
import { callable, listDepth } from "./shapes.ts";

export interface Step {
  readonly field: string;
  /** The member type of a union that has the field. `undefined` if the field does not belong to a union. */
  readonly on: string | undefined;
  readonly lists: number;
}

export interface FoundId {
  readonly entity: Entity;
  readonly steps: readonly Step[];
  readonly listed: boolean;
}

/** The maximum number of wrapper objects (payloads, connections, edges) in an answer around the first object with an id. */
const DEEPEST = 4;
const MOST = 40;

/** Returns the objects with an id in the answer of a query or mutation, the outermost first. Objects inside such objects are not included. */
export function findIds(field: GraphQLField<unknown, unknown>, entities: ReadonlyMap<string, Entity>): readonly FoundId[] {
  const found: FoundId[] = [];
  let open: {
    readonly type: GraphQLOutputType;
    readonly steps: readonly Step[];
    readonly listed: boolean;
    readonly on: readonly string[];
  }[] = [{ type: field.type, steps: [], listed: listDepth(field.type) > 0, on: [] }];
  for (let depth = 0; depth <= DEEPEST && open.length > 0; depth++) {
    const next: typeof open = [];
    for (const { type, steps, listed, on } of open) {
      const named = getNamedType(type);
      const entity = entities.get(named.name);
      if (entity !== undefined) {
        found.push({ entity, steps: [...steps, { field: entity.idField, on: undefined, lists: 0 }], listed });
        continue;
      }
      if (!isCompositeType(named) || on.includes(named.name)) continue;
      const members = isUnionType(named) ? named.getTypes() : [named];
      for (const member of members) {
        const own = isUnionType(named) ? member.name : undefined;
        const thing = own === undefined ? undefined : entities.get(own);
        if (thing !== undefined) found.push({ entity: thing, steps: [...steps, { field: thing.idField, on: own, lists: 0 }], listed });
        else if (!isUnionType(member)) {
          for (const one of Object.values(member.getFields())) {
            if (!callable(one) || !isCompositeType(getNamedType(one.type)) || next.length > MOST) continue;
            const lists = listDepth(one.type);
            next.push({
              type: one.type,
              steps: [...steps, { field: one.name, on: own, lists }],
              listed: listed || lists > 0,
              on: [...on, named.name],
            });
          }
        }
      }
    }
    open = next;
  }
  return found;
}
