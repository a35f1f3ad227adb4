import { AsyncLocalStorage } from "node:async_hooks";

/** The offset of a lane's clock. */
export interface Offset {
  aheadMs(): number;
}

/*
 * The offset belongs to an asynchronous context, not to the thread. Fake timers for a thread (such as @sinonjs/fake-timers) would also move seqqa's own
 * time: measurements, time windows of steps, timeouts and cookies, and the time of other lanes. Fake timers also cannot go back after a timer fired.
 * Timers, connections and promises that the target starts inherit the context. As under libfaketime, timers themselves run in real time.
 */
const contexts = new AsyncLocalStorage<Offset>();

const RealDate = Date;
/** The offsets in use. While there is at least one, the global `Date` is replaced. */
const users = new Set<Offset>();

const now = (): number => RealDate.now() + (contexts.getStore()?.aheadMs() ?? 0);

/** The replacement for `Date`. It has the prototype of the real `Date`, so `instanceof` gives the same result with both. */
const MovedDate: DateConstructor = new Proxy(RealDate, {
  construct: (_real, given: unknown[], made) =>
    Reflect.construct(RealDate, given.length === 0 ? [now()] : given, made === MovedDate ? RealDate : made),
  apply: () => new RealDate(now()).toString(),
  get: (real, key, receiver) => (key === "now" ? now : (Reflect.get(real, key, receiver) as unknown)),
});

/** Begins the use of an offset: from now on, {@link withOffset} moves the time. */
export function beginOffset(offset: Offset): void {
  if (users.size === 0) useDate(MovedDate);
  users.add(offset);
}

/** Calls `work`. `work` and everything that it starts see the time moved by an offset. Other code of the thread sees the real time. */
export function withOffset<T>(offset: Offset, work: () => T): T {
  return contexts.run(offset, work);
}

/**
 * Ends the use of an offset. After the last offset in use, the real `Date` becomes the global `Date` again, unless other code replaced it meanwhile.
 */
export function endOffset(offset: Offset): void {
  if (users.delete(offset) && users.size === 0 && globalThis.Date === MovedDate) useDate(RealDate);
}

function useDate(constructor: DateConstructor): void {
  globalThis.Date = constructor;
  // Also set the constructor of dates, because some libraries compare `value.constructor` with `Date`.
  Object.defineProperty(RealDate.prototype, "constructor", { value: constructor, writable: true, configurable: true });
}
