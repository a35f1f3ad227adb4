import { AsyncLocalStorage } from "node:async_hooks";
import type { CheckpointChoice, StoreScope } from "../../model/stores/store-adapter.ts";
import { TargetClock, type TargetClockOptions } from "./target-clock.ts";

/** The offset of a lane's clock. */
interface Offset {
  aheadMs(): number;
}

/*
 * The offset belongs to an asynchronous context, not to the thread. Timers, connections and promises that the target starts inherit the context. As
 * under libfaketime, timers themselves run in real time. A library that moves the time of the whole thread (such as @sinonjs/fake-timers) is not
 * used: it would also move seqqa's own time (measurements, time windows of steps, timeouts, cookies) and the time of other lanes, and it cannot move
 * the time back after a timer has fired.
 */
const contexts = new AsyncLocalStorage<Offset>();

const RealDate = Date;
/** The offsets in use. While there is at least one, the global `Date` is replaced. */
const users = new Set<Offset>();

const now = (): number => RealDate.now() + (contexts.getStore()?.aheadMs() ?? 0);

/** The replacement for the global `Date`. `instanceof` gives the same results with both, because they have the same prototype. */
const MovedDate: DateConstructor = new Proxy(RealDate, {
  construct: (_real, given: unknown[], made) =>
    Reflect.construct(RealDate, given.length === 0 ? [now()] : given, made === MovedDate ? RealDate : made),
  apply: () => new RealDate(now()).toString(),
  get: (real, key, receiver) => (key === "now" ? now : (Reflect.get(real, key, receiver) as unknown)),
});

/** Options of {@link InProcessClock}. */
export interface InProcessClockOptions extends TargetClockOptions {
  /** A name that is unique among the clocks of the thread. */
  readonly id: string;
}

/**
 * The clock of a target in this process (`target.module`): `Date` is moved in code that {@link callTarget} calls, and in everything that this code
 * starts. Timers and `performance.now()` are not moved.
 */
export class InProcessClock extends TargetClock {
  readonly checkpoint: CheckpointChoice = { mode: "offset", why: "seqqa sets and resets the time that the target's Date returns" };

  constructor({ id, ...options }: InProcessClockOptions) {
    super(id, options);
    beginOffset(this);
  }

  /** Calls code of the target. This code, and everything that it starts, sees the time of this clock. */
  callTarget<T>(call: () => T): T {
    return withOffset(this, call);
  }

  override open(scope: StoreScope): void {
    super.open(scope);
    // Begin the offset here and not in the constructor, because a clock may be opened again after it was closed.
    beginOffset(this);
  }

  override close(): void {
    endOffset(this);
  }
}

/** Begins the use of an offset: from now on, {@link withOffset} moves the time. */
function beginOffset(offset: Offset): void {
  if (users.size === 0) useDate(MovedDate);
  users.add(offset);
}

/** Calls `work`. `work` and everything that it starts see the time moved by an offset. Other code of the thread sees the real time. */
function withOffset<T>(offset: Offset, work: () => T): T {
  return contexts.run(offset, work);
}

/**
 * Ends the use of an offset. If no offset is in use any longer, restores the real `Date` as the global `Date`, unless other code has replaced the
 * global `Date` meanwhile.
 */
function endOffset(offset: Offset): void {
  if (users.delete(offset) && users.size === 0 && globalThis.Date === MovedDate) useDate(RealDate);
}

function useDate(constructor: DateConstructor): void {
  globalThis.Date = constructor;
  // Also set the constructor of dates, because some libraries compare `value.constructor` with `Date`.
  Object.defineProperty(RealDate.prototype, "constructor", { value: constructor, writable: true, configurable: true });
}
