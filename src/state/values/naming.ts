import { hashOf, mix } from "../canonical/mixing.ts";
import { addPart, nameLine, type Naming, type Part } from "../canonical/parts.ts";
import { TieSearch } from "../canonical/ties.ts";

/**
 * Names `count` ids by their surroundings instead of their values, so that equal states get equal names. Each id has a colour, which is a hash. The
 * colour is repeatedly combined with the colours of the ids in the same parts of the state, until this distinguishes no further ids.
 * {@link TieSearch} then orders the ids that still have equal colours. `plain`: the parts that contain no ids.
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

export function byColour(colours: Int32Array): number[] {
  const order: number[] = [];
  for (let id = 0; id < colours.length; id++) order.push(id);
  return order.sort((a, b) => colours[a]! - colours[b]!);
}

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
