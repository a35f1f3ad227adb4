import type { StrategyKind } from "./strategy.ts";

/**
 * The settings of a search. The configuration contains these settings under `exploration`, and the engine's options extend this interface, so that
 * both have the same settings.
 */
export interface SearchSettings {
  readonly strategy: StrategyKind;
  readonly maxSteps: number;
  /** The largest depth; `undefined`: no limit. */
  readonly maxDepth: number | undefined;
  /** The time limit in seconds; `undefined`: no limit. */
  readonly maxTime: number | undefined;
  readonly stopOnFirstViolation: boolean;
  /** The seed of all random choices. */
  readonly seed: number;
}
