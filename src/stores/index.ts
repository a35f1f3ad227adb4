export { attempt, lastly } from "./attempt.ts";
export { isRawText, sameRow, withValuesOf, type ExactRow, type ExactValue } from "./journal/exact-row.ts";
export { captureNet, isNetSnapshot, type NetSnapshot } from "./journal/net-snapshot.ts";
export { NetMirror, sameCounters, type Fix, type RowKey, type Segment, type Touch } from "./journal/net-mirror.ts";
export { allCounters, observeCounters, observeNet, shown, shownRow, withoutCommon } from "./journal/observed-net.ts";
export { here, identify, isAlive, isThreadAlive, thisThread } from "./processes/process-identity.ts";
export { keyOf, type TableShape } from "./journal/table-shape.ts";
