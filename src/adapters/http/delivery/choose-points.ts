import { setTimeout as sleep } from "node:timers/promises";
import type { SecureContext } from "node:tls";
import type { WireRoute } from "../../../model/http/wire.ts";
import { secureContext } from "../../../network/secure-context.ts";
import { Http2Delivery } from "./http2-delivery.ts";
import { openHttp2, connected } from "./http2-session.ts";
import type { DeliveryTrial, DeliveryPoint, DeliveryPoints } from "./delivery.ts";
import { OwnDelivery } from "./own-delivery.ts";
import { PipelinedDelivery } from "./pipelined-delivery.ts";
import { PipeliningEvidence } from "./pipelining-evidence.ts";
import { Point } from "./delivery-point.ts";
import { SocketsDelivery } from "./sockets-delivery.ts";
import { connectionTo, takesConnections } from "./takes-connections.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/**
 * Requests without a `Host` header, to test if a server answers. An HTTP/1.1 server must reject them before it processes them. On a server that does
 * not check `Host`, `OPTIONS *` and `GET /` change nothing.
 */
const REQUESTS = ["OPTIONS *", "GET /"] as const;

type Delivery = DeliveryPoint["delivery"];
type Ways = Partial<Record<Delivery, () => DeliveryTransport>>;

/**
 * The longest wait in the first test for HTTP/2, in milliseconds. An HTTP/1.1 server closes the connection at once. The limit is for servers that
 * send nothing.
 */
const PROBE_MS = 1000;
/** The longest wait in each later test, in milliseconds. A server that sent nothing in the first test may only have been busy. */
const SURE_MS = 2000;
const LATER_MS = 2000;

/**
 * Returns the deliveries that are possible for a target. Each delivery is created when it is first used. To find out if the target supports HTTP/2,
 * only the beginning of an HTTP/2 connection is sent, without a request. An unreachable target counts as not supporting HTTP/2. If the target does
 * not answer, another test finds out if it serves one connection at a time, see {@link DeliveryPoints.oneConnection}. Requests on a second connection
 * would then wait or time out.
 */
export async function choosePoints(route: WireRoute): Promise<DeliveryPoints> {
  const { origin, ca, proxied } = route;
  if (origin === undefined || proxied) return new Points({ plain: () => new OwnDelivery() }, undefined);
  const secure = origin.startsWith("https:") ? secureContext(ca) : undefined;
  const ways: Ways = {
    pipelined: () => new PipelinedDelivery(origin, secure),
    last_byte: () => new SocketsDelivery(origin, secure, "most"),
    plain: () => new SocketsDelivery(origin, secure, "nothing"),
  };
  const { greeted, oneConnection } = await besideAnother(new URL(origin), async () => {
    const first = await openHttp2(origin, secure, PROBE_MS);
    const second = first === "silent" ? await openHttp2(origin, secure, SURE_MS) : first;
    return { greeted: second, oneConnection: second === "silent" && (await leavesRequestsWaiting(origin, secure)) };
  });
  if (typeof greeted === "string") return new Points(ways, origin, oneConnection);
  greeted.destroy();
  return new Points({ ...ways, http2: () => new Http2Delivery(origin, secure) }, origin);
}

/**
 * Resolves to `true` if the target leaves a plain HTTP/1.1 request unanswered while another connection is open. Called if the target did not answer
 * an HTTP/2 preface. The missing answer proves nothing, because some servers ignore such a preface. If the target does not answer the first request,
 * a second one is sent later, because the target may only have been busy, and the lane uses the result until its end.
 */
async function leavesRequestsWaiting(origin: string, secure: SecureContext | undefined): Promise<boolean> {
  const [first, later] = REQUESTS;
  if (!(await isSilentTo(first, origin, secure, SURE_MS))) return false;
  await sleep(LATER_MS);
  return isSilentTo(later, origin, secure, SURE_MS);
}

/**
 * Opens an idle connection to the target, and calls `ask` while this connection is open. The connections of clients are no substitute, because they
 * may be closed at any time.
 */
async function besideAnother<T>(origin: URL, ask: () => Promise<T>): Promise<T> {
  const socket = connectionTo(origin);
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", () => resolve());
    socket.setTimeout(PROBE_MS, resolve);
  });
  try {
    return await ask();
  } finally {
    socket.destroy();
  }
}

class Points implements DeliveryPoints {
  readonly oneConnection: boolean;
  readonly #ways: Ways;
  readonly #origin: string | undefined;
  readonly #refused = new Set<Delivery>();
  readonly #made = new Map<Delivery, DeliveryPoint>();
  readonly #pipelining = new PipeliningEvidence();

  /** @param origin The URL of the target; `undefined` if only the clients' own transports can reach the target, e.g. a target in this process. */
  constructor(ways: Ways, origin: string | undefined, oneConnection: boolean = false) {
    this.oneConnection = oneConnection;
    this.#ways = ways;
    this.#origin = origin;
  }

  get auto(): readonly DeliveryPoint[] {
    return this.#best().map((delivery) => this.point(delivery)!);
  }

  /**
   * Returns the deliveries that suit the target best, as far as is known. If there are several, trials alternate between them. Sending whole requests
   * at once and sending only their last bytes at once expose different races: in measurements, each delivery found races that the other delivery
   * missed.
   */
  #best(): readonly Delivery[] {
    if ("http2" in this.#ways) return ["http2"];
    if (!("pipelined" in this.#ways)) return ["plain"];
    const pipelines = this.#pipelining.concurrent !== false && !this.#refused.has("pipelined");
    return pipelines ? ["pipelined", "last_byte", "plain"] : ["last_byte", "plain"];
  }

  point(delivery: Delivery): DeliveryPoint | undefined {
    let made = this.#made.get(delivery);
    const way = this.#ways[delivery];
    if (made === undefined && way !== undefined) this.#made.set(delivery, (made = new Point(delivery, way())));
    return made;
  }

  evidence(delivery: Delivery, alone: readonly number[], intervals: DeliveryTrial["intervals"]): void {
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

/** Resolves to `true` if the server sends nothing within `timeoutMs` after a request. Closing the connection counts as an answer. */
function isSilentTo(
  request: (typeof REQUESTS)[number],
  origin: string,
  secure: SecureContext | undefined,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isSilent: boolean): void => {
      clearTimeout(timer);
      resolve(isSilent);
      socket.destroy();
    };
    const answered = (): void => end(false);
    const timer = setTimeout(() => end(socket.bytesRead === 0), timeoutMs);
    const socket = connected(origin, secure, ["http/1.1"], () => socket.write(`${request} HTTP/1.1\r\nConnection: close\r\n\r\n`));
    socket.on("error", answered);
    socket.once("data", answered);
    socket.once("close", answered);
  });
}
