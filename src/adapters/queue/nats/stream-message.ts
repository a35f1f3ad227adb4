export interface StreamMessage {
  readonly subject: string;
  /** The payload as base64. */
  readonly data: string;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** `gone`: no longer in the stream. `done`: processed by a worker, but kept by the stream. */
  readonly state: "waiting" | "done" | "gone";
  readonly redelivered: boolean;
}
