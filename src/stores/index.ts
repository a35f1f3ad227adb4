export { attempt, lastly } from "./attempt.ts";
export { isRawText, sameRow, withValuesOf, type ExactRow, type ExactValue } from "./exact-row.ts";
export { captureNet, isNetSnapshot, type NetSnapshot } from "./net-snapshot.ts";
export { NetMirror, sameCounters, type Fix, type RowKey, type Segment, type Touch } from "./net-mirror.ts";
export { allCounters, observeCounters, observeNet, shown, shownRow, withoutCommon } from "./observed-net.ts";
export { here, identify, isAlive, isThreadAlive, thisThread } from "./process-identity.ts";
export { keyOf, type TableShape } from "./table-shape.ts";
