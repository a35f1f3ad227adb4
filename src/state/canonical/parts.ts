import { mix, spread } from "./mixing.ts";

/** A part of the state: its text, and the numbers of the ids in it. */
export interface Part {
  readonly text: string;
  readonly ids: readonly number[];
}

export interface Naming {
  /** Equal for two sets of parts exactly when some renaming of the ids makes one the other (unless `bounded`). */
  readonly text: string;
  /** The ids in the order of their names. */
  readonly order: readonly number[];
  /** `true` if the search for the least renaming was stopped: equal sets may have different texts; different sets never have the same. */
  readonly bounded: boolean;
}

/** Returns a part with its ids named. The part's grammar says how many names follow. */
export function nameLine(part: Part, names: Int32Array): string {
  let line = part.text;
  const ids = part.ids;
  for (let j = 0; j < ids.length; j++) line += `,${names[ids[j]!]!}`;
  return line;
}

/** Adds the contribution of one part to the sums of its ids. */
export function addPart(ids: readonly number[], base: number, colours: Int32Array, sums: Int32Array): void {
  let hash = base;
  for (let j = 0; j < ids.length; j++) hash = mix(hash, colours[ids[j]!]!);
  for (let j = 0; j < ids.length; j++) sums[ids[j]!] = (sums[ids[j]!]! + spread(hash + Math.imul(j + 1, 0x9e3779b1))) | 0;
}
