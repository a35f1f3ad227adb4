import { atOffsets } from "./at-offsets.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/**
 * Sends each request of a race with the transport of the client that made the request. Used for a target in this process, and for targets behind a
 * proxy.
 */
export class OwnDelivery implements DeliveryTransport {
  launch(held: readonly HeldRequest[]): void {
    void atOffsets(held, (together) => {
      for (const one of together) {
        one.from = performance.now();
        one.answerWith(sent(one));
      }
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Sends a request. If `own` throws synchronously, `async` turns the error into a rejected promise. */
async function sent({ own, request }: HeldRequest): ReturnType<HeldRequest["own"]> {
  return own(request);
}
