/**
 * Code that the adapters of several stores share. Read `sql-adapter.ts` and `delegating-adapter.ts` first, then `journal/net-mirror.ts`, which keeps
 * the changes since the root state. `external/` is for stores that seqqa does not copy.
 */
export { attempt, lastly } from "./attempt.ts";
export { isRawText, sameRow, withValuesOf, type ExactRow, type ExactValue } from "./journal/exact-row.ts";
export { MOST_ROWS } from "./journal/multiset-mirror.ts";
export { captureNet, isNetSnapshot, type NetSnapshot } from "./journal/net-snapshot.ts";
export { NetMirror, sameCounters, type Fix, type RowKey, type Segment, type Touch } from "./journal/net-mirror.ts";
export { allCounters, observeCounters, observeNet, schemaChanges, shown, shownRow, withoutCommon } from "./journal/observed-net.ts";
export { here, identify, isAlive, isThreadAlive, thisThread } from "./processes/process-identity.ts";
export { keyOf, type TableShape } from "./journal/table-shape.ts";
