import type { StoreKind } from "../../model/stores/store-provider.ts";
import type { SystemSpec } from "../../targets/lanes/lane-spec.ts";

/** Returns the module of a kind of store. The module and its driver are loaded at the first use. */
export async function storeKind(kind: SystemSpec["kind"]): Promise<StoreKind> {
  switch (kind) {
    case "sqlite":
      return (await import("../../adapters/sqlite/index.ts")).stores;
    case "postgres":
      return (await import("../../adapters/postgres/index.ts")).stores;
    case "redis":
      return (await import("../../adapters/redis/index.ts")).stores;
    case "mysql":
      return (await import("../../adapters/mysql/index.ts")).stores;
  }
}
