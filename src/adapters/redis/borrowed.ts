import { SeqqaError } from "../../model/errors.ts";
import type { Bytes, Entry } from "./entry.ts";
import { takeOver } from "./leftovers.ts";
import { shownPlace, type RedisPlace } from "./redis-url.ts";
import { Registry } from "./registry.ts";
import { saveState } from "./saved-state.ts";

/** The user's own database, as long as it is used: nobody else of ours uses it, and what it held is kept on the server for after a SIGKILL. */
export class Borrowed {
  readonly #registry: Registry;
  readonly #db: number;
  #state: ReadonlyMap<Bytes, Entry> = new Map();
  #queue: Promise<void> = Promise.resolve();

  private constructor(registry: Registry, db: number) {
    this.#registry = registry;
    this.#db = db;
  }

  /** Takes it, puts back what a dead run left in it, and turns notifications on. @throws SeqqaError `STORE_IN_USE` */
  static async take(place: RedisPlace): Promise<Borrowed> {
    const registry = (await Registry.find(place, "share"))!;
    try {
      const claim = (await registry.claims()).find(({ db }) => db === place.db);
      const had =
        claim === undefined
          ? await registry.claim(place.db, "borrowed", registry.owner)
          : (await takeOver(registry, claim, registry.owner)) !== undefined;
      if (!had) throw inUse(place);
      await registry.notify();
      return new Borrowed(registry, place.db);
    } catch (error) {
      await registry.leave().catch(() => undefined);
      throw error;
    }
  }

  /** Saves what the database holds, before anything in it is changed. */
  async keep(state: ReadonlyMap<Bytes, Entry>): Promise<void> {
    this.#state = state;
    await saveState(this.#registry, this.#db, state);
    this.#registry.beat(() => this.#keepAgain());
  }

  /** Saves it once more where the target flushed it away. */
  stillThere(): Promise<void> {
    return this.#registry.stillThere(() => this.#keepAgain());
  }

  /** Puts the database into the state that was kept, and leaves nothing of ours. Where that fails, the next run does it. */
  async giveBack(write: (state: ReadonlyMap<Bytes, Entry>) => Promise<void>): Promise<void> {
    try {
      await write(this.#state);
    } catch (error) {
      this.#registry.abandon();
      throw error;
    }
    await this.#queue;
    await this.#registry.leave();
  }

  /** Gives it up as it is: nothing was changed yet. */
  leave(): Promise<void> {
    return this.#registry.leave();
  }

  #keepAgain(): Promise<void> {
    const again = this.#queue.then(async () => {
      // Cut off for so long that another run took it for dead: what is there now is that run's.
      if (!(await this.#registry.claim(this.#db, "borrowed", this.#registry.owner))) throw inUse(this.#registry.connection.place);
      await saveState(this.#registry, this.#db, this.#state);
    });
    this.#queue = again.catch(() => undefined);
    return again;
  }
}

function inUse(place: RedisPlace): SeqqaError {
  return new SeqqaError("STORE_IN_USE", `The Redis database ${shownPlace(place)} is used by a run that is alive.`, {
    hint: "Wait until it has ended, or give this run a database of its own. After a crash where the server may not list connections, wait 30 seconds.",
    exitStatus: 2,
  });
}
