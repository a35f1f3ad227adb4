import type { StoreAdapter } from "../stores/store-adapter.ts";

/** An isolated copy of the target, the stores and the context. A `world` function receives the lane that it builds a world for. */
export interface Lane {
  /** The number of the lane: 0, 1, 2, ... */
  readonly index: number;
  /** The URL of this lane's target, without a trailing slash; empty if there is no HTTP target. */
  readonly baseUrl: string;
  /** The URL of the lane's own store; `undefined` if no store is declared. */
  readonly dbUrl: string | undefined;
  /** The path of the lane's own SQLite file; `undefined` if there is none. */
  readonly dbPath: string | undefined;
  /** The stores that the configuration declares, by name. User code can pass these stores to a `World`. */
  readonly systems: Readonly<Record<string, StoreAdapter>>;
  /** A temporary directory that only this lane uses. The directory is removed at the end of the run. */
  readonly tmpDir: string;
  /** The handler of an in-process target. `new HttpClient(lane.fetch)` calls it without a socket. */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
}
