import type { RaceDelivery } from "../../../model/results/result.ts";
import type { WireAnswer, WireRequest } from "../../../model/http/wire.ts";

/** When the request of one side was released, and when the last byte of its answer had come: milliseconds of `performance.now()`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** How the requests of one trial are released. */
export interface DeliveryPlan {
  /** How many sides there are. */
  readonly sides: number;
  /** Which request of each side is held until those of the others are there, from 0; those before it are sent as they come. */
  readonly meetAt: readonly number[];
  /** Milliseconds that a side is released later than the first one, per side. */
  readonly offsets: readonly number[];
}

/**
 * One trial: the requests of its sides are held until each side has come or left, and are then released together. The answers are those of the target;
 * errors are those of {@link Transport.send}.
 */
export interface DeliveryTrial {
  /**
   * Sends a request of a side. It is held if it is the one that meets; any other is sent at once, by the client's own way. The time limit of a request
   * that is held counts anew from when all are there.
   * @param own The client's own way, as `deliver` of `RequestScope` gives it.
   */
  send(side: number, request: WireRequest, own: (request: WireRequest) => Promise<WireAnswer>): Promise<WireAnswer>;
  /** The side has ended, and sends no more: nobody waits for it any longer. */
  leave(side: number): void;
  /** Of the requests that met, once they are over, also without an answer; `undefined` for a side that left before, and for one that never was released. */
  readonly intervals: readonly (Interval | undefined)[];
}

/** A way to make requests meet; one per lane and origin, with connections that are kept warm. */
export interface DeliveryPoint {
  readonly delivery: Exclude<RaceDelivery, "gated">;
  /** Begins a trial; only one is under way at a time. */
  begin(plan: DeliveryPlan): DeliveryTrial;
  close(): Promise<void>;
}

/** The ways to make requests meet on one route. */
export interface DeliveryPoints {
  /** The target serves one connection at a time, as far as could be seen: what is sent on another one waits until the first is closed. */
  readonly oneConnection: boolean;
  /** Those that suit the target, the best one first; with more than one trials are to take turns. May change with {@link evidence}. */
  readonly auto: readonly DeliveryPoint[];
  /** The one that was asked for; `undefined` where the route does not allow it. */
  point(delivery: DeliveryPoint["delivery"]): DeliveryPoint | undefined;
  /**
   * What a trial tells of how the target serves requests that share a connection.
   * @param alone Milliseconds that the request of each side took by itself.
   */
  evidence(delivery: DeliveryPoint["delivery"], alone: readonly number[], intervals: DeliveryTrial["intervals"]): void;
  /** Whether the target still takes connections. */
  isAlive(): Promise<boolean>;
  /** The server does not take requests in this way: it is no longer one of {@link auto}. */
  refuses(delivery: DeliveryPoint["delivery"]): void;
  close(): Promise<void>;
}
