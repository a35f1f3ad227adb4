export { conformsTo, type ConformsToOptions } from "./conforms-to.ts";
export { createdMeansAvailable, type CreatedMeansAvailableOptions } from "./created-means-available.ts";
export { idempotent, type IdempotentOptions } from "./idempotent.ts";
export { leakage, type LeakageOptions } from "./leakage.ts";
export { listAgreesWithItem, type ListAgreesWithItemOptions } from "./list-agrees-with-item.ts";
export { noServerErrors, type NoServerErrorsOptions } from "./no-server-errors.ts";
export { ownership, type OwnershipOptions } from "./ownership.ts";
export { rejectedMeansUnchanged, type RejectedMeansUnchangedOptions } from "./rejected-means-unchanged.ts";
export { resourceHierarchy, type ResourceHierarchyOptions } from "./resource-hierarchy.ts";
export { retrySafe, type RetrySafeOptions } from "./retry-safe.ts";
export { conserved, immutable, type ConservedOptions, type ImmutableOptions } from "./rows/changed-rows.ts";
export {
  implies,
  neverAbove,
  neverNegative,
  references,
  sumWithin,
  unique,
  type ColumnValue,
  type RowRuleOptions,
  type SumWithinOptions,
  type UniqueOptions,
} from "./rows/row-rules.ts";
export { transitions, type TransitionsOptions } from "./rows/transitions.ts";
export { sessionEnds } from "./session-ends.ts";
export type { SessionEndsOptions } from "./sessions/options.ts";
export { singleUse, type SingleUseOptions } from "./single-use.ts";
export { useAfterFree, type UseAfterFreeOptions } from "./use-after-free.ts";
export {
  Rule,
  type CheckedStep,
  type Earlier,
  type Login,
  type Restored,
  type RuleOptions,
  type StoresView,
} from "../model/declare/rule.ts";
export type { CheckAnswer, CheckResult } from "../model/declare/invariant.ts";
export type { Resource } from "../model/declare/resource.ts";
