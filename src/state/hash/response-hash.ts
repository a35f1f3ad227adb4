import { Clock } from "../values/clock.ts";
import { hashText32 } from "./hasher.ts";
import { scan, type Placeholders } from "../values/scan.ts";
import { plainText } from "../values/strings.ts";

const LIMIT = 4_096;
const LONGEST_KEPT = 512;
const known = new WeakMap<Placeholders, Map<string, number>>();

/**
 * Returns the unsigned xxHash32 of a response. Equal answers have the same hash in every lane: ids are replaced by the order of their first
 * occurrence, times near `clockMs` (default: now) are masked, and the lane's own URL, port and paths are replaced by placeholders.
 */
export function responseHash(status: number, text: string, placeholders: Placeholders, clockMs: number = Date.now()): number {
  if (text.length > LONGEST_KEPT) return compute(status, text, placeholders, clockMs);
  let hashes = known.get(placeholders);
  if (hashes === undefined) known.set(placeholders, (hashes = new Map()));
  const key = `${status} ${text}`;
  let hash = hashes.get(key);
  if (hash === undefined) {
    hash = compute(status, text, placeholders, clockMs);
    if (hashes.size >= LIMIT) hashes.clear();
    hashes.set(key, hash);
  }
  return hash;
}

function compute(status: number, text: string, placeholders: Placeholders, clockMs: number): number {
  const sorted = placeholders.length < 2 ? placeholders : [...placeholders].sort((a, b) => b[0].length - a[0].length);
  const pieces = scan(text, new Clock(clockMs), sorted);
  if (pieces === null) return hashText32(`${status} ${plainText(text)}`);
  const names = new Map<string, number>();
  let canonical = `${status} `;
  for (const piece of pieces) {
    switch (piece.kind) {
      case "text":
        canonical += plainText(piece.text);
        break;
      case "time":
        canonical += "T";
        break;
      case "mark":
        canonical += `P${piece.name.length}:${piece.name}`;
        break;
      case "id": {
        const name = names.get(piece.key) ?? names.size;
        names.set(piece.key, name);
        canonical += `@${piece.form}${name};`;
      }
    }
  }
  return hashText32(canonical);
}
