export type { Facts, Fingerprint } from "./facts.ts";
export type { CanonicalOptions } from "./canonical-options.ts";
export { Canonicalizer } from "./canonicalizer.ts";
export { hashText, loadHasher } from "./hasher.ts";
export { opaqueTokens } from "./opaque-tokens.ts";
