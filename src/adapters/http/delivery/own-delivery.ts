import { atOffsets } from "./at-offsets.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** Sends in the clients' own ways, whatever they are: a handler in this process, a proxy. */
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

/** Sends a request in its own way: an error that `own` throws at once is its answer, too. */
async function sent({ own, request }: HeldRequest): ReturnType<HeldRequest["own"]> {
  return own(request);
}
