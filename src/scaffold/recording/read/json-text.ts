import { parseJson } from "../../../openapi/parse/parse-json.ts";
import { checkSize } from "../../../openapi/read/check-size.ts";
import type { Json } from "../../infer/plan.ts";

/** Matches strings, and integers of 16 or more digits outside of strings. */
const STRING_OR_LARGE = /"(?:[^"\\]|\\[^])*"?|(?<![\w.+-])-?\d{16,}(?![\w.])/g;

/** Puts integers above 2^53 in quotes, because JavaScript numbers would lose their last digits. */
function withExactIntegers(text: string): string {
  return text.replaceAll(STRING_OR_LARGE, (part) => (part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : `"${part}"`));
}

/**
 * Parses a JSON body, which may contain comments and trailing commas, as Postman allows. Integers above 2^53 become texts. Returns `undefined` if the
 * text is not JSON, or if the body is too large or nested too deeply.
 */
export function parseBody(text: string | undefined): Json | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  try {
    const value = parseJson(withExactIntegers(text)) as Json | undefined;
    checkSize(value, "the body");
    return value;
  } catch {
    return undefined;
  }
}

export type Members = Readonly<Record<string, unknown>>;

export const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Returns the names and values in a list of objects such as `{ name, value }`, without disabled entries.
 * @param key The field that holds the name.
 */
export function pairsOf(list: unknown, key: string = "name"): readonly (readonly [string, string])[] {
  return listOf(list).flatMap((one) => {
    const { [key]: name, value, disabled } = membersOf(one);
    return typeof name === "string" && name !== "" && disabled !== true ? [[name, textOf(value) ?? ""] as const] : [];
  });
}
