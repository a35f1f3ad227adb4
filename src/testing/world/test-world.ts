import type { Checkpoint, StoreAdapter, Awaitable } from "../../model/stores/store-adapter.ts";
import { SeqqaError } from "../../model/errors.ts";
import { showingHint } from "../shown-hint.ts";
import { WorldCheckpoint } from "./world-checkpoint.ts";
import { checkpointOver, lateWrite, notClosed, notRestored, notTaken, worldClosed } from "./world-errors.ts";

type Stores = ReadonlyMap<string, StoreAdapter>;

/** The parts that a world is made of. */
export interface WorldParts {
  readonly worker: number;
  /** The URLs for the application, by store name. */
  readonly urls: Readonly<Record<string, string>>;
  /** The opened stores, by name. */
  readonly stores: ReadonlyMap<string, StoreAdapter>;
  readonly lateWrites: "error" | "undo";
  /** Closes the stores and removes the copies. */
  readonly end: () => Promise<void>;
}

type Marks = ReadonlyMap<string, Checkpoint>;

/** The last restore of a checkpoint. A change of the stores between this restore and the next checkpoint is a late write. */
interface LastRestore {
  readonly by: WorldCheckpoint;
  readonly marks: Marks;
  /** `true` if the restore failed. The restore is then repeated before the next checkpoint. */
  readonly hasFailed: boolean;
}

/**
 * Stores for tests. Checkpoints save and restore the state of these stores. The function `openWorld` creates worlds. A world executes one operation
 * at a time. Tests that run in parallel need separate worlds.
 */
export class TestWorld {
  /** The URLs for the application, by store name. With `inPlace`, these are the URLs of the original stores, else the URLs of the copies. */
  readonly urls: Readonly<Record<string, string>>;
  /** The number of the worker, 0 to 999. */
  readonly worker: number;
  readonly #parts: WorldParts;
  /** The checkpoints that can be restored, oldest first. */
  readonly #open: { readonly checkpoint: WorldCheckpoint; readonly marks: Marks }[] = [];
  readonly #ended = new WeakSet<WorldCheckpoint>();
  #last: LastRestore | undefined;
  #count = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  /** @internal Call `openWorld` instead. */
  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.urls = parts.urls;
    this.worker = parts.worker;
  }

  /**
   * The URL of the store `db`, or of the only store.
   * @throws SeqqaError `WORLD_OPTION_INVALID` if there are several stores and no store is named `db`
   */
  get dbUrl(): string {
    const all = Object.values(this.urls);
    const url = this.urls["db"] ?? (all.length === 1 ? all[0] : undefined);
    if (url !== undefined) return url;
    const names = Object.keys(this.urls);
    throw new SeqqaError(
      "WORLD_OPTION_INVALID",
      `A test used world.dbUrl, but the world has no store named db. The stores of the world are ${names.join(", ")}.`,
      {
        hint: `Use world.urls.${names[0]}, or name one store db in openWorld().`,
        exitStatus: 2,
      },
    );
  }

  /**
   * Saves the present state of all stores. Checkpoints nest: one for the suite, one for the file, one for the test. Messages show `name`, e.g. the
   * name of the test. Default: `checkpoint 1` and so on.
   *
   * Take the checkpoint before the test writes. A write between the restore of a checkpoint and the next checkpoint counts as a late write of the
   * earlier test: the write is undone, and the next checkpoint fails unless `lateWrites` is `undo`.
   *
   * @throws SeqqaError `LATE_WRITE`, `STORE_BUSY` and other failures of the previous restore (the message names the restored checkpoint);
   * `WORLD_CLOSED`
   */
  checkpoint(name: string = `checkpoint ${this.#count + 1}`): Promise<WorldCheckpoint> {
    this.#count += 1;
    return this.#inTurn(async () => {
      const marks = await this.#asRestored();
      const checkpoint = new WorldCheckpoint(name, {
        restore: (one) => this.#inTurn(() => this.#restore(one)),
        end: (one) => this.#end(one),
      });
      this.#open.push({ checkpoint, marks: marks ?? (await this.#mark(name)) });
      this.#last = undefined;
      return checkpoint;
    });
  }

  /**
   * Closes the stores and removes the copies. With `inPlace`, the stores are left in the state in which they were opened. Further calls do nothing
   * and return the promise of the first call.
   *
   * @throws SeqqaError `STORE_BUSY` if a transaction is still open with `inPlace`: the changes of the tests then stay in the store
   */
  close(): Promise<void> {
    this.#closed ??= showingHint(
      this.#turn
        .then(() => this.#parts.end())
        .catch((cause: unknown) => {
          throw notClosed(cause);
        }),
    );
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Brings the stores to the state of the last restore, if they have changed since. Returns the checkpoints of the stores for that state, which the
   * next checkpoint of the world uses again. Returns `undefined` if the last operation was not a restore.
   */
  async #asRestored(): Promise<Marks | undefined> {
    const last = this.#last;
    if (last === undefined) return undefined;
    if (last.hasFailed) {
      await this.#putBack(last.by, last.marks);
      return last.marks;
    }
    const changed = await changedSince(this.#parts.stores, last.marks);
    if (changed.length === 0) return last.marks;
    await this.#putBack(last.by, last.marks);
    if (this.#parts.lateWrites === "error") throw lateWrite(last.by.name, changed);
    return last.marks;
  }

  async #mark(name: string): Promise<Marks> {
    try {
      return await inAll(this.#parts.stores, (store) => store.mark());
    } catch (cause) {
      throw notTaken(name, cause);
    }
  }

  async #restore(checkpoint: WorldCheckpoint): Promise<void> {
    const at = this.#open.findIndex((one) => one.checkpoint === checkpoint);
    if (at < 0) throw checkpointOver(checkpoint.name);
    this.#open.length = at + 1;
    await this.#putBack(checkpoint, this.#open[at]!.marks);
  }

  async #putBack(by: WorldCheckpoint, marks: Marks): Promise<void> {
    try {
      await restoreAll(this.#parts.stores, marks);
      this.#last = { by, marks, hasFailed: false };
    } catch (cause) {
      this.#last = { by, marks, hasFailed: true };
      throw notRestored(by.name, cause);
    }
  }

  /** Restores and ends a checkpoint. Does nothing if the checkpoint has already ended, or if the world is closed. */
  async #end(checkpoint: WorldCheckpoint): Promise<void> {
    if (this.#ended.has(checkpoint) || this.#closed !== undefined) return;
    this.#ended.add(checkpoint);
    await this.#inTurn(async () => {
      try {
        await this.#restore(checkpoint);
      } finally {
        if (this.#open.at(-1)?.checkpoint === checkpoint) this.#open.pop();
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) return showingHint(Promise.reject(worldClosed()));
    const turn = showingHint(this.#turn.then(work));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** Calls a function for all stores at once. Waits until all calls have ended, then throws the first failure. */
async function inAll<T>(stores: Stores, work: (store: StoreAdapter, name: string) => Awaitable<T>): Promise<ReadonlyMap<string, T>> {
  const done = await Promise.allSettled([...stores].map(async ([name, store]) => [name, await work(store, name)] as const));
  return new Map(
    done.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    }),
  );
}

/** Returns the names of the stores that were written to since the given checkpoints. */
async function changedSince(stores: Stores, marks: ReadonlyMap<string, Checkpoint>): Promise<readonly string[]> {
  const changed = await inAll(stores, (store, name) => store.changed(marks.get(name)));
  return [...changed].filter(([, hasChanged]) => hasChanged).map(([name]) => name);
}

async function restoreAll(stores: Stores, marks: ReadonlyMap<string, Checkpoint>): Promise<void> {
  await inAll(stores, (store, name) => restore(store, marks.get(name)));
}

/**
 * Restores a store. First calls `changed`, which makes the adapter read all writes, so that the restore needs only one round trip. Otherwise, an
 * adapter that finds an unread write during the restore would have to begin the restore again.
 */
async function restore(store: StoreAdapter, mark: Checkpoint): Promise<void> {
  if (store.lastLook !== undefined) {
    await store.changed(mark);
    if ((await store.lastLook()?.restore(mark)) === true) return;
  }
  await store.restore(mark);
}
