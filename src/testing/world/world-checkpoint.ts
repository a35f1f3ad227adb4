/**
 * A saved state of all stores of a world. Restoring it undoes **everything** that was written to the stores since the checkpoint was taken, by any
 * process: the application, its workers, a test, or a `psql` session. This is intended.
 *
 * With `await using`, the state is restored at the end of the block. Node 20 does not know this syntax: compile the code with TypeScript or esbuild,
 * or call {@link restore} in `finally`.
 */
export class WorldCheckpoint {
  /** The name in messages, e.g. the name of the test. */
  readonly name: string;
  readonly #restore: (checkpoint: WorldCheckpoint) => Promise<void>;
  readonly #end: (checkpoint: WorldCheckpoint) => Promise<void>;

  /** @internal Call `world.checkpoint()` instead. */
  constructor(name: string, { restore, end }: Readonly<Record<"restore" | "end", (checkpoint: WorldCheckpoint) => Promise<void>>>) {
    this.name = name;
    this.#restore = restore;
    this.#end = end;
  }

  /**
   * Restores all stores to this state, and ends the checkpoints that were taken after this one. This method can be called repeatedly.
   *
   * @throws SeqqaError with the name of this checkpoint in the message: `STORE_BUSY` if a connection kept a write transaction open for 5 s,
   * `CHECKPOINT_OVER` if an older checkpoint was restored before, `SCHEMA_CHANGED` if tables were altered, `WORLD_CLOSED`
   */
  restore(): Promise<void> {
    return this.#restore(this);
  }

  /** Restores the state and ends this checkpoint. A second call does nothing. @throws SeqqaError like {@link restore} */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#end(this);
  }
}
