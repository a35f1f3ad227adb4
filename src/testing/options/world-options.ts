/** A store of a world, with settings in addition to its URL. */
export interface WorldStore {
  /** The URL of the store: `sqlite:`, `postgresql:`, `mysql:`, `redis:` or another scheme that `systems` in `seqqa.yaml` accepts. */
  readonly url: string;
  /** The mechanism that restores the store, as in `seqqa.yaml`. Default: `auto`. */
  readonly checkpoint?: string | undefined;
  /** For Redis: `server` if the world gets its own server, `index` if it gets its own database on a shared server. Default: `server`. */
  readonly isolation?: string | undefined;
}

/** Options of `openWorld`. Either `dbUrl` or `stores` is required. */
export interface WorldOptions {
  /** A short form of `stores: { db: dbUrl }`. Migrate the store before the world is opened, so that its tables exist. */
  readonly dbUrl?: string | undefined;
  /** The stores by name: a URL, or a URL with settings. A relative SQLite path is resolved against the current folder. */
  readonly stores?: Readonly<Record<string, string | WorldStore>> | undefined;
  /**
   * `true` if the stores themselves are used, instead of copies. A restore undoes every write since the checkpoint, by any process. For safety, the
   * store's name must contain test, dev, ci or seqqa as a word, or `allow` must name the store. Only one world at a time can use a store. Default:
   * `false`.
   */
  readonly inPlace?: boolean | undefined;
  /**
   * The names of stores that may be written even if nothing in their names shows that they are for tests (like `--allow-db` of `seqqa run`).
   * `SEQQA_ALLOW_DB` adds further names. Default: none.
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * The number of the worker, from 0. The names of the world's databases contain this number. Two worlds with the same number still have separate
   * databases. Default: `VITEST_POOL_ID`, `TEST_PARALLEL_INDEX` or `JEST_WORKER_ID`, else 0.
   */
  readonly worker?: number | undefined;
  /**
   * Defines what happens if something writes to a store between the restore of a checkpoint and the next checkpoint. `error`: the write is undone,
   * and the next checkpoint fails with a message that names the restored checkpoint. `undo`: the write is undone silently. Default: `error`.
   */
  readonly lateWrites?: "error" | "undo" | undefined;
}
