import xxhash, { type XXHashAPI } from "xxhash-wasm";
import { SeqqaError } from "../../model/errors.ts";
import type { Fingerprint } from "../canonical/facts.ts";

let api: XXHashAPI | undefined;
let loading: Promise<void> | undefined;

// WebAssembly returns the hash as a bigint. Writing the bigint to `wide` splits it into 32-bit `halves` without further bigints.
const wide = new BigUint64Array(1);
const halves = new Int32Array(wide.buffer);

/** Compiles the hash function. Each thread must await `loadHasher` once before it calls any other function of this module. */
export async function loadHasher(): Promise<void> {
  loading ??= xxhash().then((loaded) => {
    api = loaded;
  });
  await loading;
}

function hasher(): XXHashAPI {
  if (api === undefined) {
    throw new SeqqaError(
      "HASHER_NOT_LOADED",
      "seqqa needed a fingerprint before it had loaded the hash function. This is a defect of seqqa: please report it.",
    );
  }
  return api;
}

/** Writes the xxHash64 of the text into `out`. Texts that differ only in lone surrogates have different hashes. */
export function hashText(text: string, out: Fingerprint): void {
  wide[0] = hasher().h64(wellFormed(text));
  out.lo = halves[0]!;
  out.hi = halves[1]!;
}

export function hashBytes(bytes: Uint8Array, out: Fingerprint): void {
  wide[0] = hasher().h64Raw(bytes);
  out.lo = halves[0]!;
  out.hi = halves[1]!;
}

export function hashText32(text: string): number {
  return hasher().h32(wellFormed(text));
}

// UTF-8 cannot encode lone surrogates, so all lone surrogates would be hashed as U+FFFD. JSON escapes lone surrogates instead.
function wellFormed(text: string): string {
  return isWellFormed(text) ? text : `\u0000${JSON.stringify(text)}`;
}

/** Returns a hash as a short text that is used as a name. */
export function hashName({ lo, hi }: Readonly<Fingerprint>): string {
  return `${lo.toString(36)}.${hi.toString(36)}`;
}

/** Returns `true` if a string has no lone surrogate (`isWellFormed` of ES2024, which TypeScript's ES2023 lib does not declare). */
export function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}
