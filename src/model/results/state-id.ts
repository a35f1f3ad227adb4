/** Returns the name of a state in reports: its fingerprint as 16 hex digits. Reports show the first 8, which usually suffice to find the state. */
export function stateId({ lo, hi }: { readonly lo: number; readonly hi: number }): string {
  const half = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");
  return half(hi) + half(lo);
}

/** The number of digits that reports show. */
export const SHORT_ID = 8;

/** Returns the digits of a state's name that reports show. */
export const shortStateId = (fingerprint: { readonly lo: number; readonly hi: number }): string => stateId(fingerprint).slice(0, SHORT_ID);
