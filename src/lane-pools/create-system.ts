import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import type { SystemSpec } from "../targets/lanes/lane-spec.ts";

/** Returns the adapter of a configured store. Adapters are imported when first needed, so that a lane loads no driver that it does not use. */
export async function createSystem(spec: SystemSpec): Promise<StoreAdapter> {
  const common = given({ checkpoint: spec.checkpoint as "auto" | undefined, ignore: spec.ignore });
  const tables = given({ tables: spec.tables, symmetric: spec.symmetric });
  switch (spec.kind) {
    case "sqlite": {
      const { SqliteAdapter } = await import("../adapters/sqlite/index.ts");
      return new SqliteAdapter({ file: spec.url.replace(/^sqlite:(\/\/(?=\/))?/, ""), ...common, ...tables });
    }
    case "postgres": {
      const { PostgresAdapter } = await import("../adapters/postgres/index.ts");
      return new PostgresAdapter({ url: spec.url, ...common, ...tables });
    }
    case "redis": {
      const { RedisAdapter } = await import("../adapters/redis/index.ts");
      return new RedisAdapter({
        url: spec.url,
        ...common,
        ...given({ isolation: spec.isolation as "server" | undefined, keys: spec.tables }),
      });
    }
    case "mysql": {
      const { MysqlAdapter } = await import("../adapters/mysql/index.ts");
      return new MysqlAdapter({ url: spec.url, ...common, ...tables });
    }
  }
}

type Given<T> = { readonly [key in keyof T]?: Exclude<T[key], undefined> };

/** Returns an object without its `undefined` members. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
