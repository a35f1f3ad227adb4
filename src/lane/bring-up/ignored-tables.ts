import { resolveIgnored, type Ignored, type IgnorePattern, type Schemas } from "../../model/stores/ignored.ts";
import type { DeclaredReference, StoreAdapter } from "../../model/stores/store-adapter.ts";
import type { World } from "../../model/declare/world.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";

/**
 * Finds the tables and columns that match the `ignore` patterns of the stores and of the World.
 *
 * @param isStrict `true` if all tables exist, so that a pattern without a match is an error.
 * @throws SeqqaError `IGNORE_UNKNOWN` (exit status 2)
 */
export function findIgnored(world: World<never, never>, schemas: Schemas, isStrict: boolean): Ignored {
  const patterns: IgnorePattern[] = world.ignore.map((pattern) => ({ pattern, system: undefined }));
  let isWhole = true;
  for (const [name, system] of Object.entries(world.systems)) {
    if (system === undefined) continue;
    const { ignore = [] } = system as { readonly ignore?: readonly string[] };
    patterns.push(...ignore.map((pattern) => ({ pattern, system: name })));
    if (!schemas.has(name)) isWhole = false;
  }
  return resolveIgnored(patterns, schemas, { isWhole, isStrict });
}

/** Reads the schemas of all stores that have one. */
export async function schemasOf({ systems }: World<never, never>): Promise<Schemas> {
  const schemas = new Map<string, Awaited<ReturnType<NonNullable<StoreAdapter["schema"]>>>>();
  for (const [name, system] of Object.entries(systems)) if (system?.schema !== undefined) schemas.set(name, await system.schema());
  return schemas;
}

/** Returns the references between tables that the schemas declare. */
export function referencesIn(schemas: Schemas): NonNullable<LaneReport["references"]> {
  const of = (store: string, table: string, all: readonly DeclaredReference[]): NonNullable<LaneReport["references"]> =>
    all.map((one) => ({ store, table, ...one }));
  return [...schemas].flatMap(([store, tables]) => tables.flatMap(({ name, references = [] }) => of(store, name, references)));
}
