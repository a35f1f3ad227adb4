/** One run of one side, in a process of its own. */
export interface MeasuredSide {
  /** Executed actions or requests. */
  readonly steps: number;
  /** The time of the steps alone: not of starting up, nor of counting states afterwards. */
  readonly ms: number;
  /** Distinct states that were met, where the side can tell. */
  readonly states?: number;
  /** Share of the answers that are 2xx, where there are answers. */
  readonly accepted?: number;
}
