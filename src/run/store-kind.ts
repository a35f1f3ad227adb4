import { SeqqaError } from "../model/errors.ts";
import type { StoreKind } from "../model/store-provider.ts";
import type { SystemSpec } from "../targets/lane-spec.ts";

/** The module of a kind of store, loaded with its driver when it is first needed. */
export async function storeKind(kind: SystemSpec["kind"]): Promise<StoreKind> {
  switch (kind) {
    case "sqlite":
      return (await import("../adapters/sqlite/index.ts")).stores;
    case "sqlite":
      return (await import("../adapters/sqlite/index.ts")).stores;
    case "postgres":
      return (await import("../adapters/postgres/index.ts")).stores;
    case "redis":
      return (await import("../adapters/redis/index.ts")).stores;
    default:
      throw new SeqqaError("STORE_UNSUPPORTED", `There is no support for ${kind} yet.`, { exitStatus: 2 });
  }
}
