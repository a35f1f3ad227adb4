/** A message that was published to a stream. Plain data. */
export interface StreamMessage {
  readonly subject: string;
  /** Base64. */
  readonly data: string;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** `gone`: it is no longer in the stream. `done`: a worker has done it, and the stream keeps it. */
  readonly state: "waiting" | "done" | "gone";
  readonly redelivered: boolean;
}
