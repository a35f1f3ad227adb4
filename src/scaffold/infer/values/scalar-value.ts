import type { Json } from "../plan.ts";
import { matchingText } from "./matching-text.ts";
import type { FlatSchema, Keywords } from "./schemas.ts";
import { squashed } from "../resources/words.ts";

const FORMATS: Readonly<Record<string, string>> = {
  date: "2040-01-01",
  // The date is in the far future, so that seqqa does not treat it as the current time when it compares states.
  "date-time": "2040-01-01T00:00:00Z",
  time: "12:00:00Z",
  duration: "P1D",
  email: "user@example.com",
  "idn-email": "user@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  iri: "https://example.com/",
  "uri-reference": "/example",
  "iri-reference": "/example",
  "uri-template": "/example/{id}",
  uuid: "3f2b7c1e-8a4d-4e6f-9b1a-5c7d2e9f0a31",
  "json-pointer": "/example",
  "relative-json-pointer": "0",
  regex: "^a$",
  byte: "ZXhhbXBsZQ==",
  binary: "example",
  password: "Example1!pass",
};

/** Values for text fields without a format or pattern, chosen by the end of the field's name. */
const NAMES: readonly (readonly [ending: RegExp, value: string])[] = [
  [/e?mail(address)?$/, "user@example.com"],
  [/(url|uri|website|homepage|webhook)$/, "https://example.com/"],
  [/(phone|phonenumber|mobile)$/, "+12025550123"],
  [/countrycode$/, "US"],
  [/country$/, "US"],
  [/currency(code)?$/, "USD"],
  [/(locale|language)$/, "en"],
  [/timezone$/, "UTC"],
  [/(zip|zipcode|postcode|postalcode)$/, "12345"],
  [/city$/, "Springfield"],
  [/street$/, "Main Street 1"],
  [/firstname$/, "Ada"],
  [/lastname$/, "Lovelace"],
  [/password$/, "Example1!pass"],
  [/color|colour$/, "#336699"],
];

/**
 * Returns a text, number or boolean that fits a schema. The result is always the same. Returns `undefined` if no value can be built.
 * @param variant Each number above 0 gives a different value, for lists whose items must be unique.
 */
export function scalarValue(flat: FlatSchema, name: string, variant: number = 0): Json | undefined {
  const { types, keywords } = flat;
  if (types.has("string") || types.size === 0) return textValue(keywords, name, variant);
  if (types.has("integer") || types.has("number")) return numberValue(keywords, types.has("number"), variant);
  if (types.has("boolean")) return variant % 2 === 0;
  return types.has("null") ? null : undefined;
}

function textValue(keywords: Keywords, name: string, variant: number): string | undefined {
  const minLength = lengthOf(keywords["minLength"]) ?? 0;
  const maxLength = lengthOf(keywords["maxLength"]) ?? Infinity;
  if (minLength > 100_000 || minLength > maxLength) return undefined;
  if (typeof keywords["pattern"] === "string") {
    const text = matchingText(keywords["pattern"], minLength, maxLength);
    if (text !== undefined) return text;
  }
  const format =
    typeof keywords["format"] === "string" && Object.hasOwn(FORMATS, keywords["format"]) ? FORMATS[keywords["format"]] : undefined;
  const text = format ?? NAMES.find(([ending]) => ending.test(squashed(name)))?.[1] ?? "example";
  return fitted(varied(text, variant, format !== undefined), minLength, maxLength, variant);
}

function varied(text: string, variant: number, formatted: boolean): string {
  if (variant === 0) return text;
  if (!formatted) return `${text}${variant}`;
  // Make the text different: change its last digit. If it does not end with a digit, change the first part of an email or the end of a URL.
  if (/\d$/.test(text)) return text.slice(0, -1) + String((Number(text.at(-1)) + variant) % 10);
  return text.includes("@") ? `user${variant}@example.com` : `${text}${variant}`;
}

function fitted(text: string, minLength: number, maxLength: number, variant: number): string {
  // Variants of a text differ at their ends, so a long variant is cut at its beginning.
  if (text.length > maxLength) return variant === 0 ? text.slice(0, maxLength) : text.slice(text.length - maxLength);
  return text.length >= minLength ? text : text.padEnd(minLength, "abcdefghij");
}

function lengthOf(keyword: unknown): number | undefined {
  return typeof keyword === "number" && keyword >= 0 ? keyword : undefined;
}

function numberValue(keywords: Keywords, fractions: boolean, variant: number): number | undefined {
  const given = (name: string): number | undefined => (typeof keywords[name] === "number" ? keywords[name] : undefined);
  const step = given("multipleOf") ?? (fractions ? undefined : 1);
  const least = given("minimum") ?? -Infinity;
  const most = given("maximum") ?? Infinity;
  const above = given("exclusiveMinimum") ?? -Infinity;
  const below = given("exclusiveMaximum") ?? Infinity;
  const allowed = (value: number): boolean => Number.isFinite(value) && value >= least && value <= most && value > above && value < below;
  const lowest = Math.max(least, above);
  const highest = Math.min(most, below);
  // Try these numbers in this order: 1, the lower bound, the lower bound + 1, the upper bound, the upper bound - 1, and the middle of the bounds.
  const candidates = [1, lowest, lowest + 1, highest, highest - 1, (lowest + highest) / 2].map((one) => {
    const next = step === undefined ? one : Math.ceil(one / step - 1e-9) * step;
    return allowed(next) || step === undefined ? next : Math.floor(one / step + 1e-9) * step;
  });
  const fine = step ?? 1;
  const first = [...candidates, ...candidates.map((one) => one + fine), ...candidates.map((one) => one - fine)].find(
    (one) => allowed(one) && (fractions || Number.isInteger(one)),
  );
  if (first === undefined) return undefined;
  const value = Number((first + variant * fine).toPrecision(15));
  return allowed(value) ? value : undefined;
}
