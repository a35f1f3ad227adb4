import type { WireRoute } from "../../../model/wire.ts";
import { secureContext } from "../../../network/secure-context.ts";
import type { Meeting, MeetingPoint, MeetingPoints } from "./meeting.ts";
import { OwnWay } from "./own-way.ts";
import { PipelinedWay } from "./pipelined-way.ts";
import { Point } from "./point.ts";
import { SocketsWay } from "./sockets-way.ts";
import type { Way } from "./way.ts";

type Delivery = MeetingPoint["delivery"];

/** The ways to make requests meet that a route allows; each is made when it is first asked for. Asks the target what it speaks. */
export function choosePoints(route: WireRoute): Promise<MeetingPoints> {
  const { origin, ca, proxied } = route;
  if (origin === undefined || proxied) return Promise.resolve(new Points({ plain: () => new OwnWay() }, ["plain"]));
  const secure = origin.startsWith("https:") ? secureContext(ca) : undefined;
  const ways: Partial<Record<Delivery, () => Way>> = {
    pipelined: () => new PipelinedWay(origin, secure),
    last_byte: () => new SocketsWay(origin, secure, "most"),
    plain: () => new SocketsWay(origin, secure, "nothing"),
  };
  return Promise.resolve(new Points(ways, ["pipelined", "last_byte"]));
}

class Points implements MeetingPoints {
  readonly #ways: Partial<Record<Delivery, () => Way>>;
  readonly #best: readonly Delivery[];
  readonly #made = new Map<Delivery, MeetingPoint>();

  constructor(ways: Partial<Record<Delivery, () => Way>>, best: readonly Delivery[]) {
    this.#ways = ways;
    this.#best = best;
  }

  get auto(): readonly MeetingPoint[] {
    return this.#best.map((delivery) => this.point(delivery)!);
  }

  point(delivery: Delivery): MeetingPoint | undefined {
    let made = this.#made.get(delivery);
    const way = this.#ways[delivery];
    if (made === undefined && way !== undefined) this.#made.set(delivery, (made = new Point(delivery, way())));
    return made;
  }

  evidence(_delivery: Delivery, _alone: readonly number[], _intervals: Meeting["intervals"]): void {
    // Later.
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map((point) => point.close()));
  }
}
