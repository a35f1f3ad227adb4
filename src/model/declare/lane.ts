import type { StoreAdapter } from "../stores/store-adapter.ts";

/** One isolated copy of target, stores and context. A `world` factory receives the lane that it builds for. */
export interface Lane {
  /** 0, 1, 2, ... */
  readonly index: number;
  /** The URL of this lane's target, without a trailing slash; empty when there is no HTTP target. */
  readonly baseUrl: string;
  /** The lane's own store as a URL; `undefined` when none is declared. */
  readonly dbUrl: string | undefined;
  /** The lane's own SQLite file; `undefined` when there is none. */
  readonly dbPath: string | undefined;
  /** The stores that the configuration declares, ready to be passed to a `World`. */
  readonly systems: Readonly<Record<string, StoreAdapter>>;
  /** A directory of this lane alone, removed at the end. */
  readonly tmpDir: string;
  /** The handler of an in-process target; `new HttpClient(lane.fetch)` calls it without a socket. */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
}
