/** A store of a world, where its URL alone does not say enough. */
export interface WorldStore {
  /** `sqlite:`, `postgresql:`, `mysql:`, `redis:` or another scheme that `systems` of `seqqa.yaml` takes. */
  readonly url: string;
  /** The mechanism that restores the store, as in `seqqa.yaml`. Default: `auto`. */
  readonly checkpoint?: string | undefined;
  /** Redis: the part of a copy that the world has for itself, `server` or `index`. Default: `server`. */
  readonly isolation?: string | undefined;
}

/** Options of `openWorld`. One of `dbUrl` and `stores` is needed. */
export interface WorldOptions {
  /** Short for `stores: { db: dbUrl }`. The tables must exist: migrate before the world is opened. */
  readonly dbUrl?: string | undefined;
  /** The stores by name: a URL, or a URL with settings. A relative SQLite path is resolved against the current folder. */
  readonly stores?: Readonly<Record<string, string | WorldStore>> | undefined;
  /**
   * `true`: the stores themselves are used, instead of copies. Every write between checkpoint and restore is undone, by whichever process. So the name of
   * the store must say that it is for tests (test, dev, ci or seqqa as a word), or `allow` must name it. One world at a time can use a store. Default: `false`.
   */
  readonly inPlace?: boolean | undefined;
  /** Names of stores that may be written although their names do not say that they are for tests, as `--allow-db` has them. `SEQQA_ALLOW_DB` adds to them. Default: none. */
  readonly allow?: readonly string[] | undefined;
  /**
   * The number of the worker, from 0; it is part of the names of the world's databases. Default: `VITEST_POOL_ID`, `TEST_PARALLEL_INDEX` or
   * `JEST_WORKER_ID`, else 0. Each world has databases of its own, also where two worlds have the same number.
   */
  readonly worker?: number | undefined;
  /**
   * Treatment of a write that appears between the restore of one checkpoint and the next checkpoint. `error`: it is undone, and the next checkpoint is
   * refused with a message that names the earlier one. `undo`: it is undone without a message. Default: `error`.
   */
  readonly lateWrites?: "error" | "undo" | undefined;
}
