import type { HeldRequest } from "./held-request.ts";

/** The part of a delivery that sends requests which have come together. */
export interface DeliveryTransport {
  /** Sends the requests in the order of their offsets. Sets `from` of each when its end is released, and answers each. Does not throw. */
  launch(held: readonly HeldRequest[]): void;
  close(): Promise<void>;
}
