import type { StoreKind } from "../../model/stores/store-provider.ts";
import type { SystemSpec } from "../../targets/lanes/lane-spec.ts";

/** The module of a kind of store, loaded with its driver when it is first needed. */
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
