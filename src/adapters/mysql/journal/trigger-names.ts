import { OURS } from "../schema/catalog.ts";

/**
 * The suffixes of the names of seqqa's triggers. First letter: `a` logs after a write, `b` logs before a write, `g` belongs to the gate. Second
 * letter: insert, update or delete.
 */
const KINDS = ["ai", "au", "ad", "bu", "bd", "gi", "gu", "gd"] as const;

export function triggerNames(tables: number): readonly string[] {
  return Array.from({ length: tables }, (_, index) => KINDS.map((kind) => `${OURS}${index}_${kind}`)).flat();
}
