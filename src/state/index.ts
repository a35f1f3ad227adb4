export type { Facts, Fingerprint } from "./facts.ts";
export type { CanonicalOptions } from "./canonical-options.ts";
export { Canonicalizer } from "./canonicalizer.ts";
export { differences } from "./differences.ts";
export { differingFields } from "./differing-fields.ts";
export { hashText, loadHasher } from "./hasher.ts";
export { opaqueTokens } from "./opaque-tokens.ts";
export { rowKinds, type RowKinds } from "./row-kinds.ts";
export { responseHash } from "./response-hash.ts";
