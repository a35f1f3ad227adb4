import { hashOf, mix, spread } from "./mixing.ts";
import { TieSearch } from "./ties.ts";

/** A part of the state: its text, and the ids that stand in it by number. */
export interface Part {
  readonly text: string;
  readonly ids: readonly number[];
}

export interface Naming {
  /** Equal for two sets of parts exactly when some renaming of the ids makes one the other (unless `bounded`). */
  readonly text: string;
  /** The ids in the order of their names. */
  readonly order: readonly number[];
  /** The search for the least renaming was cut: equal sets may have got different texts; different ones never get the same. */
  readonly bounded: boolean;
}

/** Colours of ids, refined until parts tell no more of them apart; the parts' own texts hashed beside them. */
export interface Colouring {
  readonly colours: Int32Array;
  readonly bases: Int32Array;
}

/**
 * Names `count` ids by what stands around them, not by their values: colour refinement (each id's colour takes in the
 * colours of those it shares a part with, until no class splits), then ties by trying, least text wins.
 * `plain` are parts without ids.
 */
export function nameIds(count: number, parts: readonly Part[], plain: readonly string[]): Naming {
  const bases = new Int32Array(parts.length);
  for (let i = 0; i < parts.length; i++) bases[i] = hashOf(parts[i]!.text);
  const colours = new Int32Array(count);
  const classes = refineAll(parts, bases, colours);
  if (classes < count) return new TieSearch(parts, bases).run(colours, plain);
  const order = byColour(colours);
  const names = new Int32Array(count);
  for (let rank = 0; rank < count; rank++) names[order[rank]!] = rank;
  const lines = plain.slice();
  for (const part of parts) lines.push(nameLine(part, names));
  return { text: lines.sort().join(""), order, bounded: false };
}

/** A part with its ids named. The part's grammar says how many names follow. */
export function nameLine(part: Part, names: Int32Array): string {
  let line = part.text;
  const ids = part.ids;
  for (let j = 0; j < ids.length; j++) line += `,${names[ids[j]!]!}`;
  return line;
}

export function byColour(colours: Int32Array): number[] {
  const order: number[] = [];
  for (let id = 0; id < colours.length; id++) order.push(id);
  return order.sort((a, b) => colours[a]! - colours[b]!);
}

/** Refines all ids in place; returns the number of classes. */
function refineAll(parts: readonly Part[], bases: Int32Array, colours: Int32Array): number {
  const count = colours.length;
  const sums = new Int32Array(count);
  const scratch = new Int32Array(count);
  let before = 1;
  for (;;) {
    sums.fill(0);
    for (let i = 0; i < parts.length; i++) addPart(parts[i]!.ids, bases[i]!, colours, sums);
    for (let id = 0; id < count; id++) colours[id] = mix(colours[id]!, sums[id]!);
    const classes = countClasses(colours, scratch);
    if (classes === count || classes === before) return classes;
    before = classes;
  }
}

/** Adds what one part says about each of its ids. */
export function addPart(ids: readonly number[], base: number, colours: Int32Array, sums: Int32Array): void {
  let hash = base;
  for (let j = 0; j < ids.length; j++) hash = mix(hash, colours[ids[j]!]!);
  for (let j = 0; j < ids.length; j++) sums[ids[j]!] = (sums[ids[j]!]! + spread(hash + Math.imul(j + 1, 0x9e3779b1))) | 0;
}

function countClasses(colours: Int32Array, scratch: Int32Array): number {
  const count = colours.length;
  if (count <= 24) {
    for (let i = 0; i < count; i++) {
      const colour = colours[i]!;
      let j = i - 1;
      for (; j >= 0 && scratch[j]! > colour; j--) scratch[j + 1] = scratch[j]!;
      scratch[j + 1] = colour;
    }
  } else {
    scratch.set(colours);
    scratch.sort();
  }
  let classes = count === 0 ? 0 : 1;
  for (let i = 1; i < count; i++) if (scratch[i] !== scratch[i - 1]) classes++;
  return classes;
}
