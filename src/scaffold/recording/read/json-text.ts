import { checkSize } from "../../../openapi/read/check-size.ts";
import type { Json } from "../../infer/plan.ts";

/** Parses a body; `undefined` for what is no JSON, or nested too deeply for a request that somebody makes. */
export function parseBody(text: string | undefined): Json | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  try {
    const value = JSON.parse(text) as Json;
    checkSize(value, "the body");
    return value;
  } catch {
    return undefined;
  }
}

export type Members = Readonly<Record<string, unknown>>;

/** Returns the members of an object; none for anything else. */
export const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Returns pairs from a list of `{ name, value }`; the name may be under another key. */
export function pairsOf(list: unknown, key: string = "name"): readonly (readonly [string, string])[] {
  return listOf(list).flatMap((one) => {
    const { [key]: name, value, disabled } = membersOf(one);
    return typeof name === "string" && name !== "" && disabled !== true ? [[name, textOf(value) ?? ""] as const] : [];
  });
}
