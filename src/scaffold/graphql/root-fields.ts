import type { GraphQLField, GraphQLSchema } from "graphql";
import { singular, words } from "../infer/resources/words.ts";
import { isReserved } from "./shapes.ts";

/** A root field of a GraphQL schema: a query or a mutation. */
export interface RootField {
  readonly kind: "query" | "mutation";
  readonly field: GraphQLField<unknown, unknown>;
  /** The words of the root field's name in the singular: `listOrders` gives `["list", "order"]`. */
  readonly words: readonly string[];
  /** The kind of change that the root field makes, judged by its name. Queries are always `other`. */
  readonly verb: "create" | "delete" | "update" | "other";
}

const CREATE = new Set(
  "create add register signup insert new place open make post book issue invite enroll publish submit schedule upload start save generate request import".split(
    " ",
  ),
);
const DELETE = new Set("delete remove destroy drop erase purge".split(" "));
const UPDATE = new Set("update edit set change patch modify rename replace move".split(" "));

export function rootFields(schema: GraphQLSchema): readonly RootField[] {
  const of = (kind: RootField["kind"]): readonly RootField[] => {
    const type = kind === "query" ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {})
      .filter(({ name }) => !isReserved(name))
      .map((field) => {
        const all = words(field.name);
        return { kind, field, words: all.map(singular), verb: kind === "query" ? "other" : verbOf(all) };
      });
  };
  return [...of("mutation"), ...of("query")];
}

/** Returns the kind of change that a name suggests, by its first word (`createOrder`) or its last word (`orderCreate`). */
function verbOf(all: readonly string[]): RootField["verb"] {
  const [first = "", second = ""] = all;
  if (first === "sign" && second === "up") return "create";
  for (const word of [first, all.at(-1) ?? ""]) {
    if (DELETE.has(word)) return "delete";
    if (UPDATE.has(word)) return "update";
    if (CREATE.has(word)) return "create";
  }
  return "other";
}
