import type { WireRoute } from "../../../model/wire.ts";
import { secureContext } from "../../../network/secure-context.ts";
import { Http2Way } from "./http2-way.ts";
import { openHttp2 } from "./http2-session.ts";
import type { Meeting, MeetingPoint, MeetingPoints } from "./meeting.ts";
import { OwnWay } from "./own-way.ts";
import { PipelinedWay } from "./pipelined-way.ts";
import { PipeliningEvidence } from "./pipelining-evidence.ts";
import { Point } from "./point.ts";
import { SocketsWay } from "./sockets-way.ts";
import { takesConnections } from "./takes-connections.ts";
import type { Way } from "./way.ts";

type Delivery = MeetingPoint["delivery"];
type Ways = Partial<Record<Delivery, () => Way>>;

/** A server of HTTP/1.1 hangs up at once; this is for those that say nothing. */
const PROBE_MS = 1000;

/**
 * The ways to make requests meet that a route allows; each is made when it is first asked for. Asks the target whether it speaks HTTP/2, by a greeting
 * and without a request. A target that is not there speaks none.
 */
export async function choosePoints(route: WireRoute): Promise<MeetingPoints> {
  const { origin, ca, proxied } = route;
  if (origin === undefined || proxied) return new Points({ plain: () => new OwnWay() }, undefined);
  const secure = origin.startsWith("https:") ? secureContext(ca) : undefined;
  const ways: Ways = {
    pipelined: () => new PipelinedWay(origin, secure),
    last_byte: () => new SocketsWay(origin, secure, "most"),
    plain: () => new SocketsWay(origin, secure, "nothing"),
  };
  const session = await openHttp2(origin, secure, PROBE_MS);
  session?.destroy();
  return new Points(session === undefined ? ways : { ...ways, http2: () => new Http2Way(origin, secure) }, origin);
}

class Points implements MeetingPoints {
  readonly #ways: Ways;
  readonly #origin: string | undefined;
  readonly #refused = new Set<Delivery>();
  readonly #made = new Map<Delivery, MeetingPoint>();
  readonly #pipelining = new PipeliningEvidence();

  /** `origin`: `undefined` where only the clients know the way. */
  constructor(ways: Ways, origin: string | undefined) {
    this.#ways = ways;
    this.#origin = origin;
  }

  get auto(): readonly MeetingPoint[] {
    return this.#best().map((delivery) => this.point(delivery)!);
  }

  /** Whole requests at once open another window than their last bytes: measured, either hits more at times. */
  #best(): readonly Delivery[] {
    if ("http2" in this.#ways) return ["http2"];
    if (!("pipelined" in this.#ways)) return ["plain"];
    const pipelines = this.#pipelining.concurrent !== false && !this.#refused.has("pipelined");
    return pipelines ? ["pipelined", "last_byte", "plain"] : ["last_byte", "plain"];
  }

  point(delivery: Delivery): MeetingPoint | undefined {
    let made = this.#made.get(delivery);
    const way = this.#ways[delivery];
    if (made === undefined && way !== undefined) this.#made.set(delivery, (made = new Point(delivery, way())));
    return made;
  }

  evidence(delivery: Delivery, alone: readonly number[], intervals: Meeting["intervals"]): void {
    this.#pipelining.alone(alone);
    if (delivery === "pipelined") this.#pipelining.trial(alone, intervals);
  }

  async isAlive(): Promise<boolean> {
    return this.#origin === undefined || takesConnections(new URL(this.#origin));
  }

  refuses(delivery: Delivery): void {
    this.#refused.add(delivery);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map((point) => point.close()));
  }
}
