/**
 * A saved state of all stores of a world. Restoring it undoes **everything** that was written to them since, by any process: the application, its
 * workers, a test, a `psql` beside it. That is its purpose.
 *
 * With `await using` it is restored at the end of the block. Node 20 needs TypeScript or esbuild for that syntax; without them call
 * {@link restore} in `finally`.
 */
export class WorldCheckpoint {
  /** The name in messages, e.g. that of the test. */
  readonly name: string;
  readonly #restore: (checkpoint: WorldCheckpoint) => Promise<void>;
  readonly #end: (checkpoint: WorldCheckpoint) => Promise<void>;

  /** @internal Worlds make their checkpoints. */
  constructor(name: string, { restore, end }: Readonly<Record<"restore" | "end", (checkpoint: WorldCheckpoint) => Promise<void>>>) {
    this.name = name;
    this.#restore = restore;
    this.#end = end;
  }

  /**
   * Brings all stores to this state, and ends the checkpoints that were taken after this one. It may be called again.
   *
   * @throws SeqqaError naming this checkpoint: `STORE_BUSY` when a connection kept a write transaction open for 5 s, `CHECKPOINT_OVER` when an older
   * checkpoint was restored before, `SCHEMA_CHANGED` when tables were altered, `WORLD_CLOSED`
   */
  restore(): Promise<void> {
    return this.#restore(this);
  }

  /** Restores the state, and ends this checkpoint. After an end it does nothing. @throws SeqqaError like {@link restore} */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#end(this);
  }
}
