import type { HeldRequest } from "./held-request.ts";

/** Sends the requests of a trial, after the requests of all sides have arrived. Each kind of delivery has its own implementation. */
export interface DeliveryTransport {
  /**
   * Sends the requests in the order of their offsets. Sets `from` of a request when its last byte is released, and later gives the request its
   * answer. Does not throw.
   */
  launch(held: readonly HeldRequest[]): void;
  close(): Promise<void>;
}
