import type { RaceDelivery } from "../../../model/results/result.ts";
import type { WireAnswer, WireRequest } from "../../../model/http/wire.ts";

/** The time from the release of a request to the last byte of its answer, in milliseconds of `performance.now()`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * The plan for one trial of a race: the request of each side that is held, and its delay. A side is one of the calls that are made at the same time.
 */
export interface DeliveryPlan {
  readonly sides: number;
  /**
   * For each side, the index (from 0) of its request that is held until the requests of all other sides have arrived. Earlier requests are sent
   * immediately.
   */
  readonly meetAt: readonly number[];
  /** For each side, the milliseconds between the release of the first request and the release of this side's request. */
  readonly offsets: readonly number[];
}

/**
 * One trial of a race. The request of each side is held until every other side has sent its request or ended. Then all requests are released
 * together. The answers come from the target. Errors are the same as for {@link Transport.send}.
 */
export interface DeliveryTrial {
  /**
   * Sends a request of a side. The request whose index is in {@link DeliveryPlan.meetAt} is held. Any other request is sent at once through `own`.
   * The timeout of a held request restarts when the requests of all sides have arrived.
   * @param own Sends the request over the client's own connection.
   */
  send(side: number, request: WireRequest, own: (request: WireRequest) => Promise<WireAnswer>): Promise<WireAnswer>;
  /** Ends a side that will not send its request. The other sides no longer wait for it. */
  leave(side: number): void;
  /**
   * For each side, the interval of its held request, once the request ended with or without an answer. `undefined` for a side that ended without a
   * request, and for a request that was never released.
   */
  readonly intervals: readonly (Interval | undefined)[];
}

/**
 * Makes the requests of a race arrive at one target at the same time. Each lane has one delivery point for each target. The point keeps its
 * connections open between trials.
 */
export interface DeliveryPoint {
  readonly delivery: Exclude<RaceDelivery, "gated">;
  /** Begins a trial. Only one trial can be in progress at a time. */
  begin(plan: DeliveryPlan): DeliveryTrial;
  close(): Promise<void>;
}

export interface DeliveryPoints {
  /** `true` if the target seems to serve one connection at a time: a request on another connection waits until the first connection is closed. */
  readonly oneConnection: boolean;
  /** The deliveries that suit the target, best first. If there are several, trials alternate between them. May change after {@link evidence}. */
  readonly auto: readonly DeliveryPoint[];
  point(delivery: DeliveryPoint["delivery"]): DeliveryPoint | undefined;
  /**
   * Records the durations of a trial's requests, which show if the target processes requests on one connection concurrently.
   * @param alone For each side, the milliseconds that its request took when it was sent alone.
   */
  evidence(delivery: DeliveryPoint["delivery"], alone: readonly number[], intervals: DeliveryTrial["intervals"]): void;
  isAlive(): Promise<boolean>;
  /** Notes that the server rejects requests that are sent by this delivery. The delivery is then left out of {@link auto}. */
  refuses(delivery: DeliveryPoint["delivery"]): void;
  close(): Promise<void>;
}
