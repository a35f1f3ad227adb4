import type { HeldRequest } from "./held-request.ts";

/** The part of a delivery that sends the requests of a trial after all of them have arrived. */
export interface DeliveryTransport {
  /**
   * Sends the requests in the order of their offsets. Sets `from` of each request when its last byte is released, and answers each. Does not throw.
   */
  launch(held: readonly HeldRequest[]): void;
  close(): Promise<void>;
}
