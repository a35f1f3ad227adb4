import type { Chunk, Expansion, SnapshotEvent, UnitRequest } from "../../messages/lane-messages.ts";
import { decodeSnapshot, snapshotText } from "./snapshot-codec.ts";

/**
 * A chunk in the form in which it is sent to a thread: a buffer of integers, which is transferred, and a string. Copying thousands of small objects
 * would take longer on the main thread than committing the outcomes. The main thread passes snapshots on without decoding them.
 */
export interface EncodedChunk {
  readonly units: number;
  /** The members of all units: from, to, lo, hi, flags, length of the snapshot (-1 without one), length of the path, the path. */
  readonly words: Int32Array<ArrayBuffer>;
  /** The texts of the snapshots of all units, without separators. */
  readonly snapshots: string;
  /** Members that only few units have, each with the index of its unit. */
  readonly rare: readonly (readonly [number, Pick<UnitRequest, "check" | "draws" | "suspect">])[];
  readonly direct: boolean;
  readonly details: number | undefined;
  readonly occurred: readonly string[] | undefined;
}

export interface EncodedExpansion {
  readonly plain: Omit<Expansion, "snapshots" | "rows">;
  readonly rows: Int32Array;
  /** For each snapshot: the index of its unit, the index of its action, and the length of its text. */
  readonly words: Int32Array<ArrayBuffer>;
  readonly snapshots: string;
}

const UNCERTAIN = 1;
/** Number of integers of a unit before its path. */
export const HEAD = 7;

/** Encodes a chunk for sending it to a thread. The snapshots in the chunk must be strings, as {@link decodeExpansion} returns them. */
export function encodeChunk(chunk: Chunk): EncodedChunk {
  const words = new Int32Array(chunk.units.reduce((sum, { path }) => sum + HEAD + path.length, 0));
  const snapshots: string[] = [];
  const rare: [number, Pick<UnitRequest, "check" | "draws" | "suspect">][] = [];
  let at = 0;
  chunk.units.forEach((unit, index) => {
    const snapshot = unit.snapshot as string | undefined;
    words[at] = unit.from;
    words[at + 1] = unit.to;
    words[at + 2] = unit.lo;
    words[at + 3] = unit.hi;
    words[at + 4] = unit.uncertain ? UNCERTAIN : 0;
    words[at + 5] = snapshot === undefined ? -1 : snapshot.length;
    words[at + 6] = unit.path.length;
    words.set(unit.path, at + HEAD);
    at += HEAD + unit.path.length;
    if (snapshot !== undefined) snapshots.push(snapshot);
    const { check, draws, suspect } = unit;
    if (check !== undefined || draws !== undefined || suspect !== undefined) rare.push([index, { check, draws, suspect }]);
  });
  const { direct, details, occurred } = chunk;
  return { units: chunk.units.length, words, snapshots: snapshots.join(""), rare, direct, details, occurred };
}

/** Decodes a chunk. `snapshot`: converts the text of each snapshot. Default: {@link decodeSnapshot}. */
export function decodeChunk(
  { units: count, words, snapshots, rare, direct, details, occurred }: EncodedChunk,
  snapshot: (text: string) => unknown = decodeSnapshot,
): Chunk {
  const rest = new Map(rare);
  const units: UnitRequest[] = [];
  let at = 0;
  let offset = 0;
  for (let index = 0; index < count; index++) {
    const flags = words[at + 4]!;
    const length = words[at + 5]!;
    const end = at + HEAD + words[at + 6]!;
    units.push({
      from: words[at]!,
      to: words[at + 1]!,
      lo: words[at + 2]!,
      hi: words[at + 3]!,
      uncertain: (flags & UNCERTAIN) !== 0,
      snapshot: length < 0 ? undefined : snapshot(snapshots.slice(offset, offset + length)),
      path: Array.from(words.subarray(at + HEAD, end)),
      ...rest.get(index),
    });
    at = end;
    offset += Math.max(length, 0);
  }
  return { units, direct, details, occurred };
}

/** Encodes the answer to a chunk. Snapshots that are strings are already encoded. */
export function encodeExpansion({ snapshots: given, rows, ...plain }: Expansion): EncodedExpansion {
  const texts = given.map(({ snapshot }) => snapshotText(snapshot));
  const words = new Int32Array(given.length * 3);
  given.forEach(({ unit, action }, i) => {
    words[3 * i] = unit;
    words[3 * i + 1] = action;
    words[3 * i + 2] = texts[i]!.length;
  });
  return { plain, rows, words, snapshots: texts.join("") };
}

/**
 * Decodes the answer to a chunk, but leaves its snapshots encoded. All snapshots are parts of one string, so the whole string stays in memory as long
 * as one snapshot is needed.
 */
export function decodeExpansion({ plain, rows, words, snapshots: text }: EncodedExpansion): Expansion {
  const snapshots: SnapshotEvent[] = [];
  let offset = 0;
  for (let at = 0; at < words.length; at += 3) {
    const end = offset + words[at + 2]!;
    snapshots.push({ unit: words[at]!, action: words[at + 1]!, snapshot: text.slice(offset, end) });
    offset = end;
  }
  return { ...plain, rows, snapshots };
}
