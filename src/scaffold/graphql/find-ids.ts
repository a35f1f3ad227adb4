import { getNamedType, isCompositeType, isUnionType, type GraphQLField, type GraphQLOutputType } from "graphql";
import type { Entity } from "./entities.ts";
import { callable, listDepth } from "./shapes.ts";

/** A step from an object to one of its fields. */
export interface Step {
  readonly field: string;
  /** The type that has it, where the object is one of several. */
  readonly on: string | undefined;
  /** How many lists there are to go into. */
  readonly lists: number;
}

/** An id in an answer. */
export interface FoundId {
  readonly entity: Entity;
  /** From the answer of the root field to the id. */
  readonly steps: readonly Step[];
  /** It is in a list, which can be empty. */
  readonly listed: boolean;
}

/** Payloads, connections and edges are as deep as this before there is a thing. */
const DEEPEST = 4;
const MOST = 40;

/** The things in what a field answers: the nearest first, none below a thing. */
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
