import xxhash, { type XXHashAPI } from "xxhash-wasm";
import { SeqqaError } from "../../model/errors.ts";
import type { Fingerprint } from "../canonical/facts.ts";

let api: XXHashAPI | undefined;
let loading: Promise<void> | undefined;

// The wasm returns a bigint; storing it here splits it without further bigints.
const wide = new BigUint64Array(1);
const halves = new Int32Array(wide.buffer);

/** Compiles the hash function. Must be awaited once per thread before anything else of this module is used. */
export async function loadHasher(): Promise<void> {
  loading ??= xxhash().then((loaded) => {
    api = loaded;
  });
  await loading;
}

function hasher(): XXHashAPI {
  if (api === undefined) {
    throw new SeqqaError("HASHER_NOT_LOADED", "A fingerprint was asked for before the hash function was loaded.", {
      hint: "Await loadHasher() first.",
    });
  }
  return api;
}

/** Writes the xxHash64 of the text into `out`. Texts that differ only in lone surrogates have different hashes. */
export function hashText(text: string, out: Fingerprint): void {
  wide[0] = hasher().h64(wellFormed(text));
  out.lo = halves[0]!;
  out.hi = halves[1]!;
}

/** Writes the xxHash64 of bytes into `out`. */
export function hashBytes(bytes: Uint8Array, out: Fingerprint): void {
  wide[0] = hasher().h64Raw(bytes);
  out.lo = halves[0]!;
  out.hi = halves[1]!;
}

/** Returns the xxHash32 of the text, unsigned. */
export function hashText32(text: string): number {
  return hasher().h32(wellFormed(text));
}

// UTF-8 has no lone surrogates: all of them would be hashed as U+FFFD. JSON escapes them.
function wellFormed(text: string): string {
  return isWellFormed(text) ? text : `\u0000${JSON.stringify(text)}`;
}

/** Returns `true` if a string has no lone surrogate (ES2024's `isWellFormed`, which the lib of ES2023 does not declare). */
export function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}
