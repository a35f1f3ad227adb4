import type { Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { FlatSchema, Schemas } from "../values/schemas.ts";
import { snake, squashed } from "./words.ts";

/** Names that mark an id without saying of which resource. */
const ID_WORDS = new Set(["id", "uuid", "guid", "uid", "identifier"]);
/** Names of identifying fields that do not say of which resource. */
const GENERIC = new Set([...ID_WORDS, "slug", "name", "key", "code", "number", "no", "ref", "reference", "handle", "sku", "token", "hash"]);

const PEOPLE = new Set(["user", "member", "person", "customer", "author", "employee", "account", "owner", "contact"]);

/** The relation between the name of the parameter at the end of an item's path and the names of the resource. */
export interface IdName {
  /**
   * The suffix: `id` for `{id}`, `{orderId}` and, if the collection is `orders`, `{oid}`; `number` for `{order_number}`; the squashed name itself if
   * it names something else.
   */
  readonly suffix: string;
  /** `true`: the name refers to the collection's own resource, or to none. `{user_id}` below `members` refers to another. */
  readonly own: boolean;
}

/** Compares the name of a parameter with the names of a resource. @param nouns Names of the resource, the longest first: `order_item`, `item`. */
export function idName(parameter: string, nouns: readonly string[]): IdName {
  const name = squashed(parameter);
  if (GENERIC.has(name) || nouns.length === 0) return { suffix: name, own: true };
  for (const noun of nouns.map(squashed)) {
    if (noun === "") continue;
    if (name === noun) return { suffix: "", own: true };
    const rest = name.startsWith(noun) ? name.slice(noun.length) : undefined;
    if (rest !== undefined && GENERIC.has(rest)) return { suffix: rest, own: true };
    // The plural: `pets_id`, `customersId`.
    if (rest !== undefined && rest.startsWith("s") && GENERIC.has(rest.slice(1))) return { suffix: rest.slice(1), own: true };
  }
  // The last word: `{intent}` for payment intents.
  if (nouns.some((noun) => noun.split("_").at(-1) === name)) return { suffix: "", own: true };
  const id = /^(.+?)(id|uuid|guid)$/.exec(name);
  const last = squashed(nouns.at(-1)!);
  // An abbreviation: `org_id` for organizations, `oid` for orders.
  if (id !== null && last.startsWith(id[1]!) && (id[1]!.length >= 3 || id[1]!.length === 1)) return { suffix: id[2]!, own: true };
  return { suffix: name, own: nouns.some((noun) => name.startsWith(squashed(noun))) };
}

/** Returns `true` if two names at one place of a path mean the same: `{id}` and `{user_id}` do, `{username}` and `{user_id}` do not. */
export function sameIdName(a: string, b: string, nouns: readonly string[]): boolean {
  const [one, other] = [idName(a, nouns), idName(b, nouns)];
  const isId = ({ suffix, own }: IdName): boolean => own && (suffix === "" || ID_WORDS.has(suffix));
  return one.suffix === other.suffix || (isId(one) && isId(other));
}

/** Returns `true` for a name that refers to the resource, such as `project_key` or `customer`; not for `username`, which anything can have. */
export function namesItsThing(name: string, nouns: readonly string[]): boolean {
  const { suffix, own } = idName(name, nouns);
  return own && !isGeneric(name) && (suffix === "" || isGeneric(suffix)) && !(suffix === "name" && nouns.some((noun) => PEOPLE.has(noun)));
}

export function isGeneric(name: string): boolean {
  return GENERIC.has(squashed(name));
}

export function isIdWord(name: string): boolean {
  return ID_WORDS.has(name);
}

/** Fields that name a thing in words, for a parameter that says no more than which thing it means: `{org}`, `{repo}`. */
const LOGINS = ["slug", "login", "username", "handle"];
const TITLES = ["name", "title"];

/** Returns the property that holds the value of the path parameter, if its name and its type say so. */
export function idProperty(
  item: FlatSchema,
  parameter: Pick<Parameter, "name" | "schema" | "description">,
  nouns: readonly string[],
  schemas: Schemas,
): string | undefined {
  const { suffix, own } = idName(parameter.name, nouns);
  const wanted = squashed(parameter.name);
  const names = [wanted];
  // A person's name is not the name to log in with.
  if (own && suffix === "name" && nouns.some((noun) => PEOPLE.has(noun))) names.push("login");
  else if (own) {
    if (suffix === "") names.push("id", ...nouns.map((noun) => `${squashed(noun)}id`), "uuid", "slug");
    else names.push(suffix, ...nouns.map((noun) => squashed(noun) + suffix));
    if (ID_WORDS.has(suffix)) names.push("id", "uuid", "guid", ...nouns.map((noun) => `${squashed(noun)}id`));
  }
  const bySquashed = new Map<string, string>();
  for (const property of item.properties.keys()) if (!bySquashed.has(squashed(property))) bySquashed.set(squashed(property), property);
  const found = (among: readonly string[], exactly: boolean): string | undefined => {
    const properties = among.flatMap((name) => bySquashed.get(name) ?? []);
    return properties.find((property) => fits(item.properties.get(property), parameter.schema, exactly, schemas));
  };
  // A bare name (`{pet}`) says less than one that ends in id: then the types must be the same.
  const certain = found(names, suffix === "");
  if (certain !== undefined || suffix !== "") return certain;
  const saysName = /\b(?:name|title)\b/i.test(parameter.description ?? "");
  // A name is not unique: it counts if the description calls the parameter one, or if the item has no id at all.
  return found(LOGINS, true) ?? (saysName || !bySquashed.has("id") ? found(TITLES, true) : undefined);
}

/**
 * Returns `true` if a value of one schema can be used for the other. A number can be used in a path for a string, unless `exactly`, and a plain string
 * for a number, since generated descriptions call every field a string.
 */
export function fits(value: Schema | undefined, place: Schema, exactly: boolean, schemas: Schemas): boolean {
  const from = schemas.flat(value);
  const to = schemas.flat(place);
  const [given, taken] = [kindOf(from), kindOf(to)];
  if (given === "other" || taken === "other") return false;
  // A parameter of a path has no slash: `refs/heads/main` is not a value for `{ref}`.
  if (hasSlash(from.keywords["example"]) || (Array.isArray(from.keywords["examples"]) && hasSlash(from.keywords["examples"][0])))
    return false;
  if (given === "any" || taken === "any") return !exactly;
  if (given === taken) return given !== "string" || !contradict(from.keywords["format"], to.keywords["format"]);
  if (exactly) return false;
  const plain = given === "number" ? to : from;
  return ["format", "pattern", "enum"].every((keyword) => plain.keywords[keyword] === undefined);
}

function kindOf({ types }: FlatSchema): "string" | "number" | "any" | "other" {
  if (types.size === 0) return "any";
  if (types.has("string")) return "string";
  return types.has("integer") || types.has("number") ? "number" : "other";
}

const hasSlash = (example: unknown): boolean => typeof example === "string" && example.includes("/");

function contradict(given: unknown, taken: unknown): boolean {
  if (given === taken) return false;
  return given === "uri" || given === "date-time" || given === "date" || (given !== undefined && taken !== undefined);
}

/** Returns the key for a parameter: `order_id` for `{id}` of orders, `order_number` for `{order_number}`, `username` for `{username}`. */
export function keyName(parameter: string, resource: string, nouns: readonly string[]): string {
  const { suffix, own } = idName(parameter, nouns);
  if (isGeneric(parameter) || (own && ID_WORDS.has(suffix))) return `${resource}_${suffix}`;
  return own && suffix === "" ? `${resource}_id` : snake(parameter);
}
