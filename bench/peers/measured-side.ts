/** The result of one run of one side in its own process. */
export interface MeasuredSide {
  /** Number of executed actions or requests. */
  readonly steps: number;
  /** The time of the steps alone, in milliseconds. Starting up and counting states afterwards are not included. */
  readonly ms: number;
  /** Number of distinct states; absent if the side does not count them. */
  readonly states?: number;
  /** The share of 2xx answers; absent if there are no answers. */
  readonly accepted?: number;
}
