import { OURS } from "../schema/catalog.ts";

/**
 * Suffixes of trigger names. `a` and `b`: the journal's triggers, after and before a write. `g`: the gate's. The second letter is the kind of write.
 */
const KINDS = ["ai", "au", "ad", "bu", "bd", "gi", "gu", "gd"] as const;

export function triggerNames(tables: number): readonly string[] {
  return Array.from({ length: tables }, (_, index) => KINDS.map((kind) => `${OURS}${index}_${kind}`)).flat();
}
