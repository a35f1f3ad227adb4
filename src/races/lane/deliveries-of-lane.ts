import { choosePoints, type DeliveryPoints } from "../../adapters/http/delivery/index.ts";
import type { RaceRequest } from "../../messages/race-messages.ts";
import type { LaneBase } from "../../lane/index.ts";
import type { RaceSchedule } from "../../model/results/result.ts";
import type { Gate } from "../../model/stores/store-adapter.ts";
import type { WireRoute } from "../../model/http/wire.ts";
import { deliveryOverHttp, gatedDelivery, PLAIN_WAY, type Delivery } from "./deliveries.ts";

export class DeliveriesOfLane {
  readonly #gates: ReadonlyMap<string, Gate>;
  readonly #points: Map<string, Promise<DeliveryPoints>> = new Map();

  constructor(base: LaneBase) {
    const gates = Object.entries(base.world.systems).map(([name, system]) => [name, system?.gate?.()] as const);
    this.#gates = new Map(gates.filter((entry): entry is readonly [string, Gate] => entry[1]?.kind === "gate"));
  }

  /** Returns the names of the stores that can hold a write; an empty list if the request does not allow the delivery `gated`. */
  gates({ effort, schedule }: RaceRequest): readonly string[] {
    if (schedule !== undefined) return this.#gates.has(schedule.system) ? [schedule.system] : [];
    return effort.delivery === "auto" || effort.delivery === "gated" ? [...this.#gates.keys()] : [];
  }

  gated(schedule: RaceSchedule): Delivery {
    return gatedDelivery(this.#gates.get(schedule.system)!, schedule);
  }

  /**
   * Returns the deliveries without a gate, the best delivery first. If the calls share no HTTP route or run in this process, the only delivery is
   * {@link PLAIN_WAY}, which starts all calls together.
   *
   * @param routes The routes of the calls.
   * @param alone Milliseconds that each call's request took when no other call was in progress.
   * @returns `one_connection` if the target serves only one connection at a time, so that requests are never processed simultaneously
   */
  async delivered(
    { effort }: RaceRequest,
    routes: readonly WireRoute[],
    alone: readonly number[],
  ): Promise<readonly Delivery[] | "one_connection"> {
    const { delivery } = effort;
    if (delivery === "gated") return [];
    const [route] = routes;
    if (routes.length !== 1 || route!.origin === undefined) return [PLAIN_WAY];
    const points = await this.#pointsOf(route!);
    // Use a delivery that the user chose even if the target seems to serve only one connection at a time.
    if (delivery === "auto" && points.oneConnection) return "one_connection";
    const asked = delivery === "auto" ? points.auto : [points.point(delivery)];
    return asked.flatMap((point) => (point === undefined ? [] : [deliveryOverHttp(points, point, route!.key, alone)]));
  }

  async close(): Promise<void> {
    for (const points of await Promise.allSettled(this.#points.values())) if (points.status === "fulfilled") await points.value.close();
  }

  #pointsOf(route: WireRoute): Promise<DeliveryPoints> {
    let points = this.#points.get(route.key);
    if (points === undefined) this.#points.set(route.key, (points = choosePoints(route)));
    return points;
  }
}
