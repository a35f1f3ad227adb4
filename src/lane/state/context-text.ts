import type { SavedContext } from "../../model/context/context.ts";

/** Returns the values of a context as JSON, to search them for tokens. Returns an empty text if an object contains itself. */
export function contextText({ entries }: Pick<SavedContext, "entries">): string {
  try {
    return JSON.stringify([...entries.values()], (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  } catch {
    return "";
  }
}
