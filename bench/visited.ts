import { VisitedReader, VisitedSet } from "../src/engine/graph/visited-set.ts";
import { full, type Row } from "./support/row.ts";
import { tableBytes } from "./support/table-bytes.ts";
import { tiny } from "./support/tiny.ts";

const STATES = full ? 1_000_000 : 200_000;

/** Measures the set of visited states, compared with a `Set` of bigint fingerprints. */
export default async function visited(): Promise<readonly Row[]> {
  const halves = new Int32Array(2 * STATES);
  let seed = 1;
  for (let i = 0; i < halves.length; i++) {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    halves[i] = seed ^ (seed >>> 12);
  }
  const wide = new BigInt64Array(halves.buffer);
  const filled = fill(halves);
  const reader = new VisitedReader();
  reader.grow(filled.growth(-1)!);
  const rows = await tiny(
    {
      insert: () => fill(halves),
      "insert into a Set of bigint": () => {
        const set = new Set<bigint>();
        for (const key of wide) set.add(key);
        return set;
      },
      "find what is there": () => {
        let found = 0;
        for (let i = 0; i < STATES; i++) if (filled.find(halves[2 * i]!, halves[2 * i + 1]!) >= 0) found++;
        return found;
      },
      "find what is not there": () => {
        let found = 0;
        for (let i = 0; i < STATES; i++) if (filled.find(halves[2 * i + 1]!, ~halves[2 * i]!) >= 0) found++;
        return found;
      },
      "find in a reader": () => {
        let found = 0;
        for (let i = 0; i < STATES; i++) if (reader.has(halves[2 * i]!, halves[2 * i + 1]!)) found++;
        return found;
      },
    },
    STATES,
  );
  return [
    ...rows,
    { name: "set", value: filled.bytes / STATES, unit: "bytes/state", note: "at most 16" },
    { name: "set and node table", value: tableBytes(STATES) / STATES, unit: "bytes/state", note: "at most 64" },
  ];
}

function fill(halves: Int32Array): VisitedSet {
  const set = new VisitedSet();
  for (let i = 0; i < halves.length; i += 2) if (set.find(halves[i]!, halves[i + 1]!) < 0) set.add(halves[i]!, halves[i + 1]!);
  return set;
}
