import { OURS } from "../schema/catalog.ts";

/** Suffixes of the triggers: after and before each kind of write for the journal, before each for the gate. */
const KINDS = ["ai", "au", "ad", "bu", "bd", "gi", "gu", "gd"] as const;

/** Returns the names of the triggers that we may have made on the first tables of a database. */
export function triggerNames(tables: number): readonly string[] {
  return Array.from({ length: tables }, (_, index) => KINDS.map((kind) => `${OURS}${index}_${kind}`)).flat();
}
