import { getNamedType, isEnumType, isScalarType, type GraphQLInputType } from "graphql";
import { singular, squashed, words } from "../infer/resources/words.ts";
import type { Entity } from "./entities.ts";
import type { FoundId } from "./find-ids.ts";
import type { RootField } from "./root-fields.ts";

/** An argument of a GraphQL call, or a field of an input object inside an argument. */
export interface Place {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly inside: readonly { readonly name: string; readonly type: string }[];
}

const ID_WORDS = new Set(["id", "ids", "uuid", "guid", "gid", "pk", "pks"]);
/** Matches names of input fields that do not show to which type of object they belong, such as `input`. */
const GENERIC = /^(input|data|where|filter|params|payload|args|attributes|record|object|values|patch|fields|by|options|request)$/;
const INPUT_WORDS = new Set(
  "input create update delete add remove new where unique patch payload data filter args params by ref reference".split(" "),
);

export class IdMatcher {
  readonly entities: readonly Entity[];
  readonly #byType: ReadonlyMap<string, Entity>;

  readonly #byName = new Map<string, Entity>();
  readonly #bySquashed = new Map<string, Entity>();
  /**
   * Maps the last words of type names to these types, for example `item` to `OrderItem`. At most two types are stored for each ending, because an
   * ending with two types is already ambiguous.
   */
  readonly #byEnd = new Map<string, Entity[]>();

  constructor(entities: ReadonlyMap<string, Entity>) {
    this.#byType = entities;
    this.entities = [...entities.values()];
    for (const entity of this.entities) {
      const { words: own, name } = entity;
      if (this.#byName.has(name)) continue;
      this.#byName.set(name, entity);
      if (!this.#bySquashed.has(own.join(""))) this.#bySquashed.set(own.join(""), entity);
      for (let at = 1; at < own.length; at++) {
        const end = own.slice(at).join("_");
        this.#byEnd.set(end, [...(this.#byEnd.get(end) ?? []), entity].slice(0, 2));
      }
    }
  }

  /** Returns the type of object whose id an argument takes. Returns `undefined` if the argument takes no id, or if the type is unknown. */
  match(place: Place, root: RootField, answers: readonly FoundId[]): Entity | undefined {
    const kind = idKind(place);
    if (kind === "none") return undefined;
    const rest = withoutId(place.name);
    if (rest.length > 0) {
      return (
        this.#exact(rest) ??
        this.#ending(rest) ??
        (kind === "id" || rest.length < words(place.name).length ? this.#related(rest, root, answers) : undefined)
      );
    }
    return this.#around(place) ?? this.#ofField(root, answers);
  }

  /**
   * Returns the type of object in the name of a query or mutation, such as `Order` for `createOrder`. If several types match, returns the type with
   * the most words, and of these the leftmost.
   */
  noun(root: RootField): Entity | undefined {
    // For example, `itemFromOrder` gives the type `Item`. `orderItem` gives the type `OrderItem` if that type exists.
    for (let length = root.words.length; length > 0; length--) {
      for (let at = 0; at + length <= root.words.length; at++) {
        const entity = this.#byName.get(root.words.slice(at, at + length).join("_"));
        if (entity !== undefined) return entity;
      }
    }
    const said = root.words.slice(1);
    return said.length === 0 ? undefined : this.#ending(said);
  }

  #exact(rest: readonly string[]): Entity | undefined {
    return this.#bySquashed.get(rest.join(""));
  }

  /**
   * Returns the type whose name is the end of a given name: `parentComment` gives `Comment`. If there is no such type, returns the only type whose
   * name has the given name as its end: `item` gives `OrderItem`.
   */
  #ending(rest: readonly string[]): Entity | undefined {
    for (let at = 1; at < rest.length; at++) {
      const entity = this.#byName.get(rest.slice(at).join("_"));
      if (entity !== undefined) return entity;
    }
    const wider = this.#byEnd.get(rest.join("_")) ?? [];
    return wider.length === 1 ? wider[0] : undefined;
  }

  /** Returns the type for an argument such as `ownerId`, if the object in the name or the answer of the call has a field `owner` of this type. */
  #related(rest: readonly string[], root: RootField, answers: readonly FoundId[]): Entity | undefined {
    const name = rest.join("");
    for (const entity of [this.noun(root), ...answers.map((one) => one.entity)]) {
      const field = Object.values(entity?.type.getFields() ?? {}).find(
        (one) => squashed(one.name) === name || singular(squashed(one.name)) === name,
      );
      const related = field === undefined ? undefined : this.#byType.get(getNamedType(field.type).name);
      if (related !== undefined) return related;
    }
    return undefined;
  }

  /**
   * Returns the type for `id` in an input object such as `customer: { id }`, by the name of the outer field. If this name is as general as `input`,
   * the name of the input type is used.
   */
  #around({ inside }: Place): Entity | undefined {
    const nearest = inside.at(-1);
    if (nearest === undefined) return undefined;
    if (!GENERIC.test(squashed(nearest.name))) {
      const named = words(nearest.name).map(singular);
      const own = this.#exact(named) ?? this.#ending(named);
      if (own !== undefined) return own;
    }
    const ofType = words(nearest.type)
      .map(singular)
      .filter((word) => !INPUT_WORDS.has(word));
    return ofType.length === 0 ? undefined : this.#exact(ofType);
  }

  #ofField(root: RootField, answers: readonly FoundId[]): Entity | undefined {
    const noun = this.noun(root);
    const single = answers.find(({ listed }) => !listed)?.entity;
    return root.kind === "query" ? (single ?? noun) : (noun ?? single);
  }
}

/** Returns `id` for the GraphQL type `ID`, `named` for a text or number whose name ends with an id word (`orderUuid`), else `none`. */
function idKind({ name, type }: Place): "id" | "named" | "none" {
  const named = getNamedType(type);
  if (!isScalarType(named) || isEnumType(named)) return "none";
  if (named.name === "ID") return "id";
  const says = ID_WORDS.has(singular(words(name).at(-1) ?? ""));
  const idLike = named.name === "String" || named.name === "Int" || /id$|^(bigint|long)/i.test(named.name);
  return says && idLike ? "named" : "none";
}

export function takesId(place: Place): boolean {
  return idKind(place) !== "none";
}

/** Returns the words of a name in the singular and without an id word at the end: `orderIds` gives `["order"]`. */
export function withoutId(name: string): readonly string[] {
  const all = words(name).map(singular);
  return ID_WORDS.has(all.at(-1) ?? "") ? all.slice(0, -1) : all;
}
