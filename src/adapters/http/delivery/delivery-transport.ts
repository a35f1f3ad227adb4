import type { HeldRequest } from "./held-request.ts";

/** How a delivery sends requests that have come together. */
export interface DeliveryTransport {
  /** Sends them, in the order of their offsets; sets `from` of each when its end is let go, and answers each. Does not throw. */
  launch(held: readonly HeldRequest[]): void;
  close(): Promise<void>;
}
