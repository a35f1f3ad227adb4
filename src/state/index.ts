export type { Facts, Fingerprint } from "./canonical/facts.ts";
export type { RenamedCounter } from "./canonical/fresh-counters.ts";
export type { CanonicalOptions } from "./canonical/canonical-options.ts";
export { Canonicalizer } from "./canonical/canonicalizer.ts";
export { apart, rowText } from "./canonical/left-out.ts";
export { cellsOf, differences } from "./compare/differences.ts";
export { differingFields, eachDifference } from "./compare/differing-fields.ts";
export { explainedDifferences, type ShownState } from "./compare/explained-differences.ts";
export { DerivedTimes } from "./compare/derived-times.ts";
export { openSeconds } from "./compare/open-seconds.ts";
export { coarsestOf, hasResolution, isWithinSeconds } from "./compare/resolutions.ts";
export { steadyChanges, type SteadyChanges } from "./compare/steady-changes.ts";
export { hashName, hashText, loadHasher } from "./hash/hasher.ts";
export { opaqueTokens } from "./values/opaque-tokens.ts";
export { looksRandom } from "./values/randomness.ts";
export { Occurrences } from "./values/occurrences.ts";
export { rowKinds, type RowKinds } from "./canonical/row-kinds.ts";
export { responseHash } from "./hash/response-hash.ts";
export { changedFields, fieldChanges, rowUpdates, writtenFields } from "./compare/changed-fields.ts";
export { compareExecutions, type Compared, type Execution } from "./compare/compare-executions.ts";
export {
  contentOf,
  entriesEntry,
  rowsEntry,
  storeOfEntries,
  tableOfRows,
  counterEntry,
  counterIn,
  FULL_ORDER,
  NEXT_SECOND,
  joined,
  comparableKnowledge,
  knowledgeText,
  knowsNothing,
  leaveSameCounters,
  NOTHING_KNOWN,
  joinedTimes,
  readKnowledge,
  type DroppedField,
  type Knowledge,
} from "./compare/knowledge.ts";
export {
  firstToPass,
  hasTimeIn,
  msOf,
  timeKeyIn,
  snapshotOfOrigins,
  NO_ORIGINS,
  originsOfSnapshot,
  ROOT_TIMES,
  type Origins,
  type OriginsSnapshot,
} from "./values/origins.ts";
export { markedDifferences, sameNames, shownNames, type Marked } from "./canonical/same-names.ts";
export { stateView, whatDiffers, type StateView } from "./compare/what-differs.ts";
export { overwrites, sameStores, type StoreRows } from "./compare/same-stores.ts";
export { fieldOf, isInToken, signedTokens, tableOf, valuesAt } from "./values/places.ts";
export { durationText, type StepWindow } from "./values/times.ts";
export { AFTER_FOUND, beginsInName } from "./values/words.ts";
export type { Renamer } from "./renaming/renamer.ts";
export type { SentRequest, StepOrigin } from "./renaming/step-origin.ts";
