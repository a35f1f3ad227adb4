import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stores } from "../../src/adapters/redis/index.ts";

/** A redis-server as a run starts one for a lane, with the keys of a template. */
export interface RedisLane {
  readonly url: string;
  close(): Promise<void>;
}

export async function redisLane(template: string): Promise<RedisLane> {
  const directory = mkdtempSync(join(tmpdir(), "seqqa-redis-lane-"));
  const provider = stores.createProvider({ name: "cache", url: template, runId: "1f2e", isolation: "server", directory });
  return {
    url: await provider.provide(0, 0),
    close: async () => {
      await provider.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
