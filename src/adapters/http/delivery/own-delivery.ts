import { atOffsets } from "./at-offsets.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** Sends each request of a race with the transport of its own client, e.g. for a handler in this process or through a proxy. */
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
