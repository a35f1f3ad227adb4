import type { StrategyKind } from "./strategy.ts";

/**
 * The settings of a search. The configuration has them under `exploration`, and the engine reads them as part of its options: a new one needs no code
 * in between.
 */
export interface SearchSettings {
  readonly strategy: StrategyKind;
  readonly maxSteps: number;
  /** `undefined`: no limit. */
  readonly maxDepth: number | undefined;
  /** Seconds; `undefined`: no limit. */
  readonly maxTime: number | undefined;
  readonly stopOnFirstViolation: boolean;
  /** The source of all randomness. */
  readonly seed: number;
}
