import type { RaceDelivery } from "../../../model/results/result.ts";
import type { WireAnswer, WireRequest } from "../../../model/http/wire.ts";

/** The time from the release of a request to the last byte of its answer, in milliseconds of `performance.now()`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The plan for releasing the requests of one trial. A side is one of the calls that are made at the same time. */
export interface DeliveryPlan {
  readonly sides: number;
  /** For each side, the index (from 0) of the request to hold until the other sides' requests have arrived. Earlier requests are sent immediately. */
  readonly meetAt: readonly number[];
  /** For each side, the milliseconds between the first release and this side's release. */
  readonly offsets: readonly number[];
}

/**
 * One trial. Each side's request is held until every other side has sent its request or left; then all are released together. The answers are the
 * target's. Errors are the same as for {@link Transport.send}.
 */
export interface DeliveryTrial {
  /**
   * Sends a request of a side. The request at the plan's index is held; any other is sent at once through `own`. The timeout of a held request
   * restarts when all sides have arrived.
   * @param own Sends the request over the client's own connection, as `deliver` of `RequestScope` gives it.
   */
  send(side: number, request: WireRequest, own: (request: WireRequest) => Promise<WireAnswer>): Promise<WireAnswer>;
  /** Ends a side. The other sides no longer wait for its request. */
  leave(side: number): void;
  /**
   * The intervals of the held requests, once they ended with or without an answer. `undefined` for a side that left early and for a request that was
   * never released.
   */
  readonly intervals: readonly (Interval | undefined)[];
}

/** A delivery that makes requests arrive at the same time. There is one per lane and origin. It keeps its connections open between trials. */
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
   * Records the timing of a trial, which shows how the target serves requests that share a connection.
   * @param alone For each side, the milliseconds that its request took when it was sent alone.
   */
  evidence(delivery: DeliveryPoint["delivery"], alone: readonly number[], intervals: DeliveryTrial["intervals"]): void;
  isAlive(): Promise<boolean>;
  /** Records that the server rejects requests sent by this delivery. The delivery is then left out of {@link auto}. */
  refuses(delivery: DeliveryPoint["delivery"]): void;
  close(): Promise<void>;
}
