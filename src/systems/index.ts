export { attempt } from "./attempt.ts";
export { isRawText, keyText, sameRow, sameValue, type ExactRow, type ExactValue, type RawText } from "./exact-row.ts";
export { captureNet, isNetImage, type NetImage, type NetTable } from "./net-image.ts";
export { NetMirror, sameCounters, type Fix, type RowKey, type Segment, type Slot, type Touch } from "./net-mirror.ts";
export { allCounters, observeCounters, observeNet, shown, shownRow, withoutCommon } from "./observed-net.ts";
export { keyOf, type TableShape } from "./table-shape.ts";
