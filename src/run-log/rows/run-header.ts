import type { ViolationPolicy } from "../../engine/commit/broken-rules.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import { record } from "./json-columns.ts";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";

/** A stage after the search that an exploration may leave out. */
export type Stage = "races" | "faults";

/** The conditions that must be the same when an exploration is resumed. */
export interface RunHeader {
  /** SHA-256 of the bundled code; empty if unknown. */
  readonly code: string;
  /**
   * The times at which the exploration was started and resumed, in ms since 1970. Times in stored data that are near one of these times are not part
   * of a state.
   */
  readonly clocksMs: readonly number[];
  /** The knowledge about generated values and times, as text. */
  readonly knowledge: string;
  /** The configured `max_depth`; `null` without a limit. */
  readonly maxDepth: number | null;
  /** The shard that the run explores; `null` if the run is no shard. */
  readonly shard: Shard | null;
  /** The rules that may be broken in states that are explored further; `null` if no violating state is explored further. */
  readonly violationPolicy: ViolationPolicy | null;
  readonly root: {
    readonly wholeLo: number;
    readonly wholeHi: number;
    readonly rootLo: number;
    readonly rootHi: number;
    /** The root state as lines of text in canonical form, without secrets. */
    readonly lines: readonly string[];
    /** The rules that the root state breaks. */
    readonly broken: readonly string[];
  };
  /** The foreign keys of one column that the stores declare. Empty for a run of an earlier version. */
  readonly references: NonNullable<LaneReport["references"]>;
  /** The stages that the last session of the exploration carried out after the search. Empty for a run of an earlier version. */
  readonly stages: readonly Stage[];
}

/** Reads a run header from two columns of the run log. @throws DamagedRun if the columns hold something else */
export function runHeaderOf(code: string, document: string): RunHeader {
  const {
    clocksMs,
    knowledge,
    maxDepth,
    shard,
    violationPolicy = null,
    root,
    references = [],
    stages = [],
  } = record(document) as Partial<Omit<RunHeader, "code">>;
  const numbers = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === "number");
  const texts = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === "string");
  const sound =
    numbers(clocksMs) &&
    typeof knowledge === "string" &&
    (maxDepth === null || typeof maxDepth === "number") &&
    (shard === null || (typeof shard === "object" && numbers([shard.index, shard.of]))) &&
    (violationPolicy === null || isPolicy(violationPolicy)) &&
    typeof root === "object" &&
    root !== null &&
    numbers([root.wholeLo, root.wholeHi, root.rootLo, root.rootHi]) &&
    texts(root.lines) &&
    texts(root.broken) &&
    Array.isArray(references) &&
    references.every(isReference) &&
    texts(stages);
  if (!sound) throw new DamagedRun("the run header of an exploration is missing");
  return { code, clocksMs: clocksMs!, knowledge, maxDepth, shard, violationPolicy, root, references, stages };
}

function isReference(one: unknown): boolean {
  const { store, table, column, to, isChecked } = (one ?? {}) as Partial<RunHeader["references"][number]>;
  return [store, table, column, to?.table, to?.column].every((name) => typeof name === "string") && typeof isChecked === "boolean";
}

function isPolicy({ continues, nonBlocking, invariants }: Partial<ViolationPolicy>): boolean {
  return typeof continues === "boolean" && Array.isArray(nonBlocking) && typeof invariants === "object" && invariants !== null;
}
