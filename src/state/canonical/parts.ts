import { mix, spread } from "./mixing.ts";

/** A part of the state such as a row: its text with an `@` for each id, and the numbers of these ids. */
export interface Part {
  readonly text: string;
  readonly ids: readonly number[];
}

export interface Naming {
  /** The canonical text of a set of parts. Two sets have the same text exactly if they differ only in the names of ids. Exception: see `bounded`. */
  readonly text: string;
  readonly order: readonly number[];
  /**
   * `true` if the search for the smallest text reached its limit. Equal sets may then have different texts, but different sets never have the same
   * text.
   */
  readonly bounded: boolean;
}

/** Returns the text of a part, followed by the names of its ids. */
export function nameLine(part: Part, names: Int32Array): string {
  let line = part.text;
  const ids = part.ids;
  for (let j = 0; j < ids.length; j++) line += `,${names[ids[j]!]!}`;
  return line;
}

/** Combines a part's hash with the colours (hashes) of its ids, and adds the result to the sum of each of these ids. */
export function addPart(ids: readonly number[], base: number, colours: Int32Array, sums: Int32Array): void {
  let hash = base;
  for (let j = 0; j < ids.length; j++) hash = mix(hash, colours[ids[j]!]!);
  for (let j = 0; j < ids.length; j++) sums[ids[j]!] = (sums[ids[j]!]! + spread(hash + Math.imul(j + 1, 0x9e3779b1))) | 0;
}
