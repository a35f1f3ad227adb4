import { Deadlines } from "../transport/deadlines.ts";
import { Gathering } from "./gathering.ts";
import type { Meeting, MeetingPlan, MeetingPoint } from "./delivery.ts";
import type { Way } from "./delivery-transport.ts";

export class Point implements MeetingPoint {
  readonly delivery: MeetingPoint["delivery"];
  readonly #way: Way;
  readonly #deadlines = new Deadlines();
  #gathering: Gathering | undefined;
  #closed = false;

  constructor(delivery: MeetingPoint["delivery"], way: Way) {
    this.delivery = delivery;
    this.#way = way;
  }

  begin(plan: MeetingPlan): Meeting {
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
