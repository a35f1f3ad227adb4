import { isPromise, type Awaitable, type Checkpoint, type Observed, type StoreAdapter } from "../../model/stores/store-adapter.ts";
import { counterLeftOut, type Schemas } from "../../model/stores/ignored.ts";
import { settled } from "../bring-up/settled.ts";

/** The parts of a store that are not part of the state. */
interface LeftOut {
  readonly tables: ReadonlySet<string>;
  readonly isCounter: (name: string) => boolean;
}

/**
 * The stores of a world, in a fixed order. Saves, restores and reads all of them. All methods return synchronously if all stores do. Checkpoints and
 * snapshots are lists with one entry for each store.
 */
export class WorldStores {
  readonly systems: readonly StoreAdapter[];
  /** The values of the counters in the root state, by store. */
  readonly rootCounters: Record<string, Extract<Observed, { readonly kind: "rows" }>["counters"]> = {};
  readonly #names: readonly string[];
  /** The stores that call user code to produce their answers. */
  readonly #throwing: readonly StoreAdapter[];
  readonly #stepwise: readonly StoreAdapter[];
  #leftOut: readonly (LeftOut | undefined)[] = [];

  constructor(stores: Readonly<Record<string, StoreAdapter | undefined>>) {
    const systems = Object.entries(stores).filter((entry): entry is [string, StoreAdapter] => entry[1] !== undefined);
    this.#names = systems.map(([name]) => name);
    this.systems = systems.map(([, system]) => system);
    this.#throwing = this.systems.filter(({ takeThrown }) => takeThrown !== undefined);
    this.#stepwise = this.systems.filter(({ beginStep }) => beginStep !== undefined);
  }

  /** Tells the stores that a step begins; see {@link StoreAdapter.beginStep}. */
  beginStep(): void {
    for (const system of this.#stepwise) system.beginStep?.();
  }

  /** Returns an error that user code threw while it produced the answer of a store; see {@link StoreAdapter.takeThrown}. */
  takeThrown(): Error | undefined {
    for (const system of this.#throwing) {
      const error = system.takeThrown?.();
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Excludes tables and their counters from what is read from now on. `tables`: for each store, the names of the tables. */
  leaveOut(tables: ReadonlyMap<string, ReadonlySet<string>>, schemas: Schemas): void {
    this.#leftOut = this.#names.map((name) => {
      const names = tables.get(name);
      if (names === undefined || names.size === 0) return undefined;
      return { tables: names, isCounter: counterLeftOut(schemas.get(name) ?? [], names) };
    });
  }

  mark(): Awaitable<readonly Checkpoint[]> {
    return this.#each((system) => system.mark());
  }

  /** Returns checkpoints that are only used to detect later changes. `seen`: `true` to use the last reads instead of reading again. */
  position(seen: boolean): Awaitable<readonly Checkpoint[]> {
    return this.#each((system) => {
      const look = seen ? system.lastLook?.() : undefined;
      if (look !== undefined) return look.mark;
      return system.position === undefined ? system.mark() : system.position();
    });
  }

  /** Returns `true` if some store may have changed since its checkpoint. Stores after the first changed store are not asked. */
  changed(marks: readonly Checkpoint[], from = 0): Awaitable<boolean> {
    for (let i = from; i < this.systems.length; i++) {
      const changed = this.systems[i]!.changed(marks[i]);
      if (changed === true) return true;
      if (changed !== false) return changed.then((one) => one || this.changed(marks, i + 1));
    }
    return false;
  }

  /** `true` if a store keeps the result of its last read. */
  get keepLooks(): boolean {
    return this.systems.some((system) => system.lastLook?.() !== undefined);
  }

  /** Returns the same as {@link changed}, but asks all stores, so that all of them read again. */
  readChanged(marks: readonly Checkpoint[]): Awaitable<boolean> {
    const changed = this.#each((system, i) => system.changed(marks[i]));
    return isPromise(changed) ? changed.then((all) => all.includes(true)) : changed.includes(true);
  }

  /**
   * Returns `true` if the last read of some store differs from the checkpoint. Stores that do not keep the result of their last read are read again.
   */
  seenElsewhere(marks: readonly Checkpoint[], from = 0): Awaitable<boolean> {
    for (let i = from; i < this.systems.length; i++) {
      const look = this.systems[i]!.lastLook?.();
      const elsewhere = look === undefined ? this.systems[i]!.changed(marks[i]) : look.mark !== marks[i];
      if (elsewhere === true) return true;
      if (elsewhere !== false) return elsewhere.then((one) => one || this.seenElsewhere(marks, i + 1));
    }
    return false;
  }

  restore(marks: readonly Checkpoint[]): Awaitable<void> {
    return this.#all((system, i) => system.restore(marks[i]));
  }

  /**
   * Restores the checkpoint if nothing was written since the last read of the store. Resolves to `false` and restores nothing if something was
   * written. Returns `undefined` if checking and restoring are not possible in one operation: there are several stores, or the store does not keep
   * the result of its last read.
   */
  restoreUntouched(marks: readonly Checkpoint[]): Promise<boolean> | undefined {
    return this.systems.length === 1 ? this.systems[0]!.lastLook?.()?.restore(marks[0]) : undefined;
  }

  /**
   * Sets the counters that {@link restore} leaves unchanged to their values in the root state. The stores must be in the root state. Resolves to
   * `false` if an open transaction of the target prevents this.
   */
  async restoreCounters(): Promise<boolean> {
    for (const { keptCounters } of this.systems) if ((await keptCounters?.restore?.()) === false) return false;
    return true;
  }

  /** Releases connections of seqqa to the stores, because they would block a restart of the target. Checkpoints remain valid. */
  async pause(): Promise<void> {
    for (const system of this.systems) await system.pause?.();
  }

  async resume(): Promise<void> {
    for (const system of this.systems) await system.resume?.();
  }

  /** Takes snapshots. @param seen `true` to use the results of the last reads, for stores that keep them, instead of reading again. */
  capture(seen: boolean): Awaitable<readonly unknown[]> {
    return this.#each((system) => {
      const look = seen ? system.lastLook?.() : undefined;
      return look === undefined ? system.capture!() : look.capture();
    });
  }

  /** Returns the whole contents of all stores; `undefined` if some store cannot return its whole content. */
  async captureWhole(): Promise<readonly unknown[] | undefined> {
    const all = await Promise.all(this.systems.map((system) => system.captureWhole?.()));
    return all.includes(undefined) ? undefined : all;
  }

  write(snapshots: readonly unknown[]): Awaitable<void> {
    return this.#all((system, i) => system.write!(snapshots[i]));
  }

  /** Reads all stores and puts the results into `out`. @param seen see {@link capture} */
  observe(out: Record<string, Observed>, seen: boolean): Awaitable<void> {
    for (let i = 0; i < this.systems.length; i++) {
      const observed = observe(this.systems[i]!, seen);
      if (isPromise(observed)) return this.#observeFrom(i, observed, out, seen);
      out[this.#names[i]!] = withoutTables(observed, this.#leftOut[i]);
    }
  }

  async #observeFrom(index: number, first: Promise<Observed>, out: Record<string, Observed>, seen: boolean): Promise<void> {
    out[this.#names[index]!] = withoutTables(await first, this.#leftOut[index]);
    for (let i = index + 1; i < this.systems.length; i++) {
      out[this.#names[i]!] = withoutTables(await observe(this.systems[i]!, seen), this.#leftOut[i]);
    }
  }

  /** Puts the whole contents of all stores into `out`. From now on, the stores report changes since this call. */
  async root(out: Record<string, Observed>): Promise<void> {
    for (let i = 0; i < this.systems.length; i++) {
      const root = withoutTables(await this.systems[i]!.root(), this.#leftOut[i]);
      out[this.#names[i]!] = root;
      if (root.kind === "rows") this.rootCounters[this.#names[i]!] = root.counters;
    }
  }

  #each<T>(call: (system: StoreAdapter, index: number) => Awaitable<T>): Awaitable<readonly T[]> {
    const results: Awaitable<T>[] = [];
    let waits = false;
    for (let i = 0; i < this.systems.length; i++) {
      const result = call(this.systems[i]!, i);
      waits ||= isPromise(result);
      results.push(result);
    }
    return waits ? settled(results) : (results as T[]);
  }

  #all(call: (system: StoreAdapter, index: number) => Awaitable<void>): Awaitable<void> {
    let waiting: Promise<void>[] | undefined;
    for (let i = 0; i < this.systems.length; i++) {
      const result = call(this.systems[i]!, i);
      if (isPromise(result)) (waiting ??= []).push(result);
    }
    if (waiting !== undefined) return settled(waiting).then(() => undefined);
  }
}

/** Reads a store. @param seen `true` to use the result of the last read, if the store keeps it, instead of reading again. */
function observe(system: StoreAdapter, seen: boolean): Awaitable<Observed> {
  const look = seen ? system.lastLook?.() : undefined;
  return look === undefined ? system.observe() : look.observe();
}

function withoutTables(observed: Observed, leftOut: LeftOut | undefined): Observed {
  if (leftOut === undefined || observed.kind !== "rows") return observed;
  const counters = Object.entries(observed.counters).filter(([name]) => !leftOut.isCounter(name));
  return { ...observed, tables: observed.tables.filter(({ name }) => !leftOut.tables.has(name)), counters: Object.fromEntries(counters) };
}
