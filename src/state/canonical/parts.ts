import { mix, spread } from "./mixing.ts";

/** A part of the state: its text, and the numbers of the ids in the text. */
export interface Part {
  readonly text: string;
  readonly ids: readonly number[];
}

export interface Naming {
  /** A text that is equal for two sets of parts exactly if they differ only in the names of ids (unless `bounded`). */
  readonly text: string;
  readonly order: readonly number[];
  /** `true` if the search for the least text was stopped. Equal sets may then have different texts, but different sets never have the same text. */
  readonly bounded: boolean;
}

/** Returns a part's text, followed by the names of its ids. The text determines how many names follow. */
export function nameLine(part: Part, names: Int32Array): string {
  let line = part.text;
  const ids = part.ids;
  for (let j = 0; j < ids.length; j++) line += `,${names[ids[j]!]!}`;
  return line;
}

/** Adds the hash of one part to the sum of each id in the part. */
export function addPart(ids: readonly number[], base: number, colours: Int32Array, sums: Int32Array): void {
  let hash = base;
  for (let j = 0; j < ids.length; j++) hash = mix(hash, colours[ids[j]!]!);
  for (let j = 0; j < ids.length; j++) sums[ids[j]!] = (sums[ids[j]!]! + spread(hash + Math.imul(j + 1, 0x9e3779b1))) | 0;
}
