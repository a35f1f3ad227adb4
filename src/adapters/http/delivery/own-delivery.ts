import { atOffsets } from "./at-offsets.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** Sends each request with its client's own transport, e.g. a handler in this process or a proxy. */
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

/** The `async` function turns an error that `own` throws synchronously into a rejected answer. */
async function sent({ own, request }: HeldRequest): ReturnType<HeldRequest["own"]> {
  return own(request);
}
