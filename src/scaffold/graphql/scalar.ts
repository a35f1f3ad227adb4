import type { GraphQLScalarType } from "graphql";
import type { PlannedValue } from "../infer/plan.ts";
import { scalarValue } from "../infer/values/scalar-value.ts";
import { squashed } from "../infer/resources/words.ts";
import type { FlatSchema } from "../infer/values/schemas.ts";

/** A value for a scalar of a GraphQL schema. `known` is `true` if the name or type indicates that the server accepts this value. */
export interface Scalar {
  readonly value: PlannedValue;
  readonly known: boolean;
}

const FORMATS: readonly (readonly [name: RegExp, format: string])[] = [
  [/^(iso8601)?date$|^localdate$|^calendardate$/, "date"],
  [/datetime|timestamptz|^instant$|^iso8601/, "date-time"],
  [/^(local)?time$/, "time"],
  [/^(iso8601)?duration$/, "duration"],
  [/^e?mail(address)?$/, "email"],
  [/^(http)?ur[il]$/, "uri"],
  [/^ipv?4?(address)?$/, "ipv4"],
  [/^ipv6$/, "ipv6"],
  [/^hostname$/, "hostname"],
  [/^base64(string)?$|^bytes?$/, "byte"],
];
const INTEGERS = /^(bigint|long|int\d+|uint\d*|u?int64|short|positiveint|nonnegativeint|unsignedint|safeint|count|port)$/;
const NUMBERS = /^(positivefloat|nonnegativefloat|unsignedfloat|double|latitude|longitude|number)$/;
const DECIMALS = /^(decimal|bigdecimal|numeric|money|amount)$/;
const OBJECTS = /^(json|jsonobject|jsonb|object|map|any)$/;
const TEXTS: Readonly<Record<string, string>> = {
  nonemptystring: "example",
  countrycode: "US",
  currency: "USD",
  currencycode: "USD",
  locale: "en",
  timezone: "UTC",
  hexcolorcode: "#336699",
  hexcolor: "#336699",
  phonenumber: "+12025550123",
  postalcode: "12345",
  slug: "example",
  trimmedstring: "example",
};

/**
 * Returns a value for a GraphQL scalar, chosen by its type and by the name of the argument.
 * @param unlike `true` to return random values for names whose values are usually unique, such as emails.
 */
export function scalarFor(type: GraphQLScalarType, name: string, unlike: boolean): Scalar {
  switch (type.name) {
    case "Int":
    case "Float":
      return known(1);
    case "Boolean":
      return known(true);
    case "String":
      return (unlike ? drawn(name) : undefined) ?? known(textOf({}, name));
    case "ID":
      return { value: { kind: "drawn", call: "uuid" }, known: true };
    default:
      return custom(type, name, unlike);
  }
}

function custom(type: GraphQLScalarType, name: string, unlike: boolean): Scalar {
  const own = squashed(type.name);
  if (/^(uuid|guid|uid)(v?4)?$/.test(own)) return { value: { kind: "drawn", call: "uuid" }, known: true };
  if (INTEGERS.test(own) || NUMBERS.test(own)) return known(1);
  if (DECIMALS.test(own)) return known("1.00");
  if (OBJECTS.test(own)) return known({});
  if (/^(void|null)$/.test(own)) return known(null);
  if (Object.hasOwn(TEXTS, own)) return known(TEXTS[own]!);
  const format = FORMATS.find(([pattern]) => pattern.test(own))?.[1];
  if (format === "email" && unlike) return drawn("email")!;
  if (format !== undefined) return known(textOf({ format }, name));
  return { value: { kind: "constant", value: textOf({}, name) }, known: false };
}

/** Returns a random value for a name whose values are usually unique, such as `email`. Returns `undefined` for other names. */
function drawn(name: string): Scalar | undefined {
  const own = squashed(name);
  if (/e?mail(address)?$/.test(own)) return { value: { kind: "drawn", call: "email" }, known: true };
  if (/^(username|login|handle|nickname|slug|sku)$/.test(own)) return { value: { kind: "drawn", call: "username" }, known: true };
  return undefined;
}

type Plain = Extract<PlannedValue, { readonly kind: "constant" }>["value"];
const known = (value: Plain): Scalar => ({ value: { kind: "constant", value }, known: true });

function textOf(keywords: FlatSchema["keywords"], name: string): string {
  const flat: FlatSchema = { types: new Set(["string"]), properties: new Map(), required: new Set(), keywords, alternatives: 1 };
  return scalarValue(flat, name) as string;
}
