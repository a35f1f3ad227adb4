import type { RaceDelivery } from "../../../model/results/result.ts";
import type { WireAnswer, WireRequest } from "../../../model/http/wire.ts";

/** The time from the release of one side's request to the last byte of its answer: milliseconds of `performance.now()`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The plan by which the requests of one trial are released. */
export interface DeliveryPlan {
  /** The number of sides. */
  readonly sides: number;
  /** The index of the request of each side that is held until those of the other sides are there, from 0. Earlier requests are sent as they come. */
  readonly meetAt: readonly number[];
  /** Milliseconds by which each side is released later than the first one. */
  readonly offsets: readonly number[];
}

/**
 * One trial: the requests of its sides are held until each side has come or left, and are then released together. The answers are those of the
 * target; errors are those of {@link Transport.send}.
 */
export interface DeliveryTrial {
  /**
   * Sends a request of a side. The request that meets the others is held; any other is sent at once, in the client's own way. The time limit of a
   * held request starts again when all are there.
   * @param own The client's own way, as `deliver` of `RequestScope` gives it.
   */
  send(side: number, request: WireRequest, own: (request: WireRequest) => Promise<WireAnswer>): Promise<WireAnswer>;
  /** Ends the side, which sends no more requests: the other sides no longer wait for it. */
  leave(side: number): void;
  /**
   * The intervals of the requests that met, once they are over, with or without an answer. `undefined` for a side that left before, and for one that
   * was never released.
   */
  readonly intervals: readonly (Interval | undefined)[];
}

/** A way to make requests meet. There is one per lane and origin, with connections that are kept warm. */
export interface DeliveryPoint {
  readonly delivery: Exclude<RaceDelivery, "gated">;
  /** Begins a trial; only one is in progress at a time. */
  begin(plan: DeliveryPlan): DeliveryTrial;
  close(): Promise<void>;
}

/** The deliveries of one route. */
export interface DeliveryPoints {
  /**
   * `true` if the target serves one connection at a time, as far as could be seen: a request on another connection waits until the first one is
   * closed.
   */
  readonly oneConnection: boolean;
  /** The deliveries that suit the target, the best one first; if there are several, trials take turns. May change with {@link evidence}. */
  readonly auto: readonly DeliveryPoint[];
  /** Returns the given delivery; `undefined` where the route does not allow it. */
  point(delivery: DeliveryPoint["delivery"]): DeliveryPoint | undefined;
  /**
   * Takes in what a trial shows about how the target serves requests that share a connection.
   * @param alone Milliseconds that the request of each side took by itself.
   */
  evidence(delivery: DeliveryPoint["delivery"], alone: readonly number[], intervals: DeliveryTrial["intervals"]): void;
  /** Resolves to `true` if the target still accepts connections. */
  isAlive(): Promise<boolean>;
  /** Records that the server does not accept requests in this way: the delivery is no longer one of {@link auto}. */
  refuses(delivery: DeliveryPoint["delivery"]): void;
  close(): Promise<void>;
}
