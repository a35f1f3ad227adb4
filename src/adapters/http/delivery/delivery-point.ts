import { Deadlines } from "../transport/deadlines.ts";
import type { DeliveryTrial, DeliveryPlan, DeliveryPoint, Interval } from "./delivery.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";
import { clientClosed } from "../transport/failures.ts";
import type { WireAnswer, WireRequest } from "../transport/transport.ts";
import { HeldRequest } from "./held-request.ts";

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

/**
 * One trial: collects the requests of all sides and then releases them. Nothing is sent before all sides have arrived. Otherwise a target that serves
 * one connection at a time would block the other sides until the first request ends.
 */
class Gathering implements DeliveryTrial {
  readonly intervals: (Interval | undefined)[];
  readonly #plan: DeliveryPlan;
  readonly #way: DeliveryTransport;
  readonly #deadlines: Deadlines;
  readonly #missing: Set<number>;
  readonly #counts: number[];
  #held: HeldRequest[] = [];
  #closed = false;

  constructor(plan: DeliveryPlan, way: DeliveryTransport, deadlines: Deadlines) {
    this.#plan = plan;
    this.#way = way;
    this.#deadlines = deadlines;
    this.intervals = new Array<undefined>(plan.sides).fill(undefined);
    this.#counts = new Array<number>(plan.sides).fill(0);
    this.#missing = new Set(this.#counts.keys());
  }

  send(side: number, request: WireRequest, own: (request: WireRequest) => Promise<WireAnswer>): Promise<WireAnswer> {
    if (this.#closed) return Promise.reject(clientClosed());
    const place = this.#counts[side]!++;
    if (place !== this.#plan.meetAt[side] || !this.#missing.has(side)) return own(request);
    const held = new HeldRequest({ side, request, own, offset: this.#plan.offsets[side] ?? 0 }, this.#deadlines);
    const over = (): void => {
      if (held.from !== undefined) this.intervals[side] = { from: held.from, to: performance.now() };
    };
    held.answer.then(over, over);
    this.#held.push(held);
    this.leave(side);
    return held.answer;
  }

  leave(side: number): void {
    if (this.#missing.delete(side) && this.#missing.size === 0) this.#launch();
  }

  close(): void {
    this.#closed = true;
    for (const held of this.#held) held.fail(clientClosed());
  }

  #launch(): void {
    const waiting = this.#held.filter((held) => held.take());
    this.#held = [];
    this.#way.launch(waiting.sort((a, b) => a.offset - b.offset));
  }
}
