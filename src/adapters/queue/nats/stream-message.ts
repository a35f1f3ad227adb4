export interface StreamMessage {
  readonly subject: string;
  /** The payload as base64. */
  readonly data: string;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** `waiting`: not processed yet. `done`: processed by a worker, but kept by the stream. `gone`: no longer in the stream. */
  readonly state: "waiting" | "done" | "gone";
  readonly redelivered: boolean;
}
