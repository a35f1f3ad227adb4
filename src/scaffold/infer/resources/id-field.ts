import type { Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { FlatSchema, Schemas } from "../values/schemas.ts";
import { snake, squashed } from "./words.ts";

/** Words for an id that do not say which resource the id belongs to. */
const ID_WORDS = new Set(["id", "uuid", "guid", "uid", "identifier"]);
const GENERIC = new Set([...ID_WORDS, "slug", "name", "key", "code", "number", "no", "ref", "reference", "handle", "sku", "token", "hash"]);

const PEOPLE = new Set(["user", "member", "person", "customer", "author", "employee", "account", "owner", "contact"]);

/** The result of comparing the name of a path parameter with the name of its resource. */
export interface IdName {
  /**
   * The name of the parameter without the name of the resource: `id` for `{id}` and `{orderId}`, `number` for `{order_number}`, empty for `{order}`.
   * If the name refers to another resource, the suffix is the whole name.
   */
  readonly suffix: string;
  /**
   * `true` if the name refers to the resource of the collection, or to no resource. `{user_id}` in `/members/{user_id}` refers to another resource.
   */
  readonly own: boolean;
}

/**
 * Compares the name of a path parameter with the names of a resource.
 * @param nouns The names of the resource, longest first, for example `order_item` and `item`.
 */
export function idName(parameter: string, nouns: readonly string[]): IdName {
  const name = squashed(parameter);
  if (GENERIC.has(name) || nouns.length === 0) return { suffix: name, own: true };
  for (const noun of nouns.map(squashed)) {
    if (noun === "") continue;
    if (name === noun) return { suffix: "", own: true };
    const rest = name.startsWith(noun) ? name.slice(noun.length) : undefined;
    if (rest !== undefined && GENERIC.has(rest)) return { suffix: rest, own: true };
    // The name contains the resource in the plural, for example `pets_id` or `customersId`.
    if (rest !== undefined && rest.startsWith("s") && GENERIC.has(rest.slice(1))) return { suffix: rest.slice(1), own: true };
  }
  // The name is the last word of the resource, for example `{intent}` for payment intents.
  if (nouns.some((noun) => noun.split("_").at(-1) === name)) return { suffix: "", own: true };
  const id = /^(.+?)(id|uuid|guid)$/.exec(name);
  const last = squashed(nouns.at(-1)!);
  // The name abbreviates the resource, for example `org_id` for organizations or `oid` for orders.
  if (id !== null && last.startsWith(id[1]!) && (id[1]!.length >= 3 || id[1]!.length === 1)) return { suffix: id[2]!, own: true };
  return { suffix: name, own: nouns.some((noun) => name.startsWith(squashed(noun))) };
}

/**
 * Returns `true` if two names of a parameter at one position have the same meaning. For example, `{id}` and `{user_id}` have the same meaning, but
 * `{username}` and `{user_id}` do not.
 */
export function sameIdName(a: string, b: string, nouns: readonly string[]): boolean {
  const [one, other] = [idName(a, nouns), idName(b, nouns)];
  const isId = ({ suffix, own }: IdName): boolean => own && (suffix === "" || ID_WORDS.has(suffix));
  return one.suffix === other.suffix || (isId(one) && isId(other));
}

/**
 * Returns `true` if a name certainly refers to an id of the resource, for example `project_key` for projects. Returns `false` for `username` and
 * users, because a field with this name may be a user name for another service.
 */
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

/** Names of fields that can hold the value of a path parameter such as `{org}` or `{repo}`, whose name contains no word for an id. */
const LOGINS = ["slug", "login", "username", "handle"];
const TITLES = ["name", "title"];

/** Returns the field of an item that holds the value of the path parameter, judged by names and types. Returns `undefined` if no field fits. */
export function idProperty(
  item: FlatSchema,
  parameter: Pick<Parameter, "name" | "schema" | "description">,
  nouns: readonly string[],
  schemas: Schemas,
): string | undefined {
  const { suffix, own } = idName(parameter.name, nouns);
  const wanted = squashed(parameter.name);
  const names = [wanted];
  // For persons, the field `name` is usually the display name, so the value of `{name}` in a URL path may be in the field `login` instead.
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
  // If the name of the parameter, such as `{pet}`, does not end with an id word, accept only a field of exactly the same type.
  const certain = found(names, suffix === "");
  if (certain !== undefined || suffix !== "") return certain;
  const saysName = /\b(?:name|title)\b/i.test(parameter.description ?? "");
  // Fields such as `name` are not unique. Use such a field only if the description of the parameter mentions a name, or if the item has no `id`.
  return found(LOGINS, true) ?? (saysName || !bySquashed.has("id") ? found(TITLES, true) : undefined);
}

/**
 * Returns `true` if a value of one schema can be sent where the other schema is expected. Unless `exactly` is `true`, numbers and strings without a
 * format can replace each other, because generated descriptions often declare every field as a string.
 */
export function fits(value: Schema | undefined, place: Schema, exactly: boolean, schemas: Schemas): boolean {
  const from = schemas.flat(value);
  const to = schemas.flat(place);
  const [given, taken] = [kindOf(from), kindOf(to)];
  if (given === "other" || taken === "other") return false;
  // A parameter in a URL path cannot contain a slash, so an example such as `refs/heads/main` does not fit.
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

/**
 * Returns the context key for a path parameter: `order_id` for `{id}` of orders, `order_number` for `{order_number}`, `username` for `{username}`.
 */
export function keyName(parameter: string, resource: string, nouns: readonly string[]): string {
  const { suffix, own } = idName(parameter, nouns);
  if (isGeneric(parameter) || (own && ID_WORDS.has(suffix))) return `${resource}_${suffix}`;
  return own && suffix === "" ? `${resource}_id` : snake(parameter);
}
