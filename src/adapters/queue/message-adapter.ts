import { isDeepStrictEqual } from "node:util";
import { SeqqaError } from "../../model/errors.ts";
import type {
  Checkpoint,
  CheckpointChoice,
  LastLook,
  NoGate,
  Observed,
  StoreAdapter,
  StoreScope,
  StoreTraits,
} from "../../model/stores/store-adapter.ts";
import { failed } from "./failures.ts";
import type { QueueJob, QueueStore, TakenJob } from "./job.ts";

/**
 * A message broker as a store. The messages are the state: an observation reads all messages, and a restore replaces them with the saved messages.
 * `C` is the type of an object that contains all messages, as plain data that is never modified.
 */
export abstract class MessageAdapter<C extends object> implements StoreAdapter, QueueStore {
  abstract readonly name: string;
  abstract readonly uses: string;
  readonly checkpoint: CheckpointChoice = {
    mode: "messages",
    why: "the broker has no snapshots, so seqqa reads all messages and writes them back",
  };
  readonly traits: StoreTraits = { portable: true, commits: true };
  protected last: C;
  readonly #secrets: readonly string[];
  /**
   * Settles when the last operation has ended. Operations must not overlap, because a read may take the messages out of their queues for a moment.
   */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(empty: C, secrets: readonly string[] = []) {
    this.last = empty;
    this.#secrets = secrets;
  }

  abstract open(scope: StoreScope): Promise<void>;
  abstract jobs(queue: string): Promise<readonly QueueJob[]>;
  abstract take(queue: string): Promise<TakenJob | undefined>;
  abstract close(): Promise<void>;
  /** Checks that no worker of the target takes jobs. @throws SeqqaError `QUEUE_HAS_WORKER` */
  protected abstract refuseWorkers(): Promise<void>;
  protected abstract read(): Promise<C>;
  protected abstract put(wanted: C): Promise<void>;
  /** Returns the messages in the form that reports show and from which the fingerprint of a state is computed. */
  protected abstract shown(contents: C): unknown;

  async root(): Promise<Observed> {
    await this.alone(() => this.refuseWorkers());
    return this.observe();
  }

  async observe(): Promise<Observed> {
    return this.#observed(await this.look());
  }

  mark(): Promise<Checkpoint> {
    return this.look();
  }

  async changed(mark: Checkpoint): Promise<boolean> {
    return (await this.look()) !== mark;
  }

  restore(mark: Checkpoint): Promise<void> {
    return this.alone(() => this.#put(mark as C));
  }

  capture(): Promise<unknown> {
    return this.look();
  }

  write(image: unknown): Promise<void> {
    return this.alone(() => this.#put(image as C));
  }

  lastLook(): LastLook {
    const mark = this.last;
    return {
      mark,
      observe: () => this.#observed(mark),
      capture: () => mark,
      restore: (wanted) =>
        this.alone(async () => {
          if ((await this.#look()) !== mark) return false;
          if (wanted !== mark) await this.#put(wanted as C);
          return true;
        }),
    };
  }

  gate(): NoGate {
    return { kind: "none", why: "seqqa cannot delay a write to a message broker" };
  }

  async dump(): Promise<string> {
    return JSON.stringify(await this.look());
  }

  /** Reads all messages. Returns the same object as the previous read if nothing changed. */
  protected look(): Promise<C> {
    return this.alone(() => this.#look());
  }

  /** Runs `work` after all earlier operations have ended. @throws SeqqaError `STORE_LOST`, `STORE_FAILED` */
  protected alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work).catch((error: unknown) => {
      throw failed(this.uses, error, this.#secrets);
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  protected notOpen(): SeqqaError {
    return new SeqqaError("STORE_NOT_OPEN", `The store ${this.uses} was used while it was not open.`, {
      hint: "Use a store only in actions, rules and invariants. seqqa opens the store when the target is ready, and closes the store with the lane.",
    });
  }

  async #look(): Promise<C> {
    const now = await this.read();
    if (!isDeepStrictEqual(now, this.last)) this.last = now;
    return this.last;
  }

  async #put(wanted: C): Promise<void> {
    await this.put(wanted);
    this.last = wanted;
  }

  #observed(contents: C): Observed {
    return { kind: "value", value: this.shown(contents) };
  }
}
