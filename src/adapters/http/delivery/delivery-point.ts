import { Deadlines } from "../transport/deadlines.ts";
import { Gathering } from "./gathering.ts";
import type { DeliveryTrial, DeliveryPlan, DeliveryPoint } from "./delivery.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

export class Point implements DeliveryPoint {
  readonly delivery: DeliveryPoint["delivery"];
  readonly #way: DeliveryTransport;
  readonly #deadlines = new Deadlines();
  #gathering: Gathering | undefined;
  #closed = false;

  constructor(delivery: DeliveryPoint["delivery"], way: DeliveryTransport) {
    this.delivery = delivery;
    this.#way = way;
  }

  begin(plan: DeliveryPlan): DeliveryTrial {
    this.#gathering = new Gathering(plan, this.#way, this.#deadlines);
    if (this.#closed) this.#gathering.close();
    return this.#gathering;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#gathering?.close();
    this.#deadlines.stop();
    await this.#way.close();
  }
}
