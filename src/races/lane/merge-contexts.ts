import { isDeepStrictEqual } from "node:util";
import type { SavedContext } from "../../model/context/context.ts";

/** The changes that one call made to the context. The value of a key is `undefined` if the call deleted the key. */
export type ContextChanges = ReadonlyMap<string, { readonly value: unknown } | undefined>;

export function contextChanges(before: SavedContext, after: ReadonlyMap<string, unknown>): ContextChanges {
  const changes = new Map<string, { readonly value: unknown } | undefined>();
  for (const [key, value] of after) {
    if (!before.entries.has(key) || !isDeepStrictEqual(before.entries.get(key), value)) changes.set(key, { value });
  }
  for (const key of before.entries.keys()) if (!after.has(key)) changes.set(key, undefined);
  return changes;
}

/** Returns `true` if two calls changed the same context key differently, so that the order of merging matters. */
export function conflict(a: ContextChanges, b: ContextChanges): boolean {
  for (const key of a.keys()) if (b.has(key) && !isDeepStrictEqual(a.get(key), b.get(key))) return true;
  return false;
}

/** Returns the context with the changes of several calls, applied in the given order. */
export function mergedContext(before: SavedContext, changes: readonly ContextChanges[], node: string | undefined): SavedContext {
  const entries = new Map(before.entries);
  for (const one of changes) {
    for (const [key, change] of one) {
      if (change === undefined) entries.delete(key);
      else entries.set(key, change.value);
    }
  }
  let objects = 0;
  for (const value of entries.values()) if (typeof value === "object" && value !== null) objects++;
  return { entries, objects, node };
}
