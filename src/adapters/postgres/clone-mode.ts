import type { Observed, SystemTraits } from "../../model/system.ts";
import type { PostgresMode, QueryRow } from "./mode.ts";
import type { StoreUrl } from "./store-url.ts";

export interface CloneOptions {
  readonly store: StoreUrl;
  readonly borrowed: boolean;
  readonly schemas: readonly string[] | undefined;
  readonly tables: readonly string[] | undefined;
  readonly previous: CloneMode | undefined;
}

/** In progress. */
export class CloneMode implements PostgresMode {
  readonly traits: SystemTraits = { portable: false, commits: true };
  static open(_: CloneOptions): Promise<CloneMode> {
    return Promise.reject(new Error("clone: not yet"));
  }
  static recover(_: StoreUrl): Promise<boolean> {
    return Promise.resolve(false);
  }
  root(): Promise<Observed> {
    throw new Error();
  }
  mark(): Promise<unknown> {
    throw new Error();
  }
  changed(_: unknown): Promise<boolean> {
    throw new Error();
  }
  restore(_: unknown): Promise<void> {
    throw new Error();
  }
  observe(): Promise<Observed> {
    throw new Error();
  }
  capture(): never {
    throw new Error();
  }
  write(): never {
    throw new Error();
  }
  query(): Promise<QueryRow[]> {
    throw new Error();
  }
  dump(): Promise<string> {
    throw new Error();
  }
  close(): Promise<void> {
    throw new Error();
  }
}
