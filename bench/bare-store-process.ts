// The entry of the processes that bench/store-ledger.ts starts for bare loops. Arguments: `<kind> <server> <steps>`.
import type { MeasuredSide } from "./peers/measured-side.ts";
import { agentOf, declaredAgent } from "./support/agent-of.ts";
import { serveScript } from "./support/served-file.ts";
import type { BareStore } from "./store-ledger/bare-store.ts";
import { bareMysql } from "./store-ledger/mysql.ts";
import { barePostgres } from "./store-ledger/postgres.ts";
import { bareRedis } from "./store-ledger/redis.ts";
import { bareWalk } from "./store-ledger/bare-walk.ts";

const STORES: Readonly<Record<string, (server: string) => Promise<BareStore>>> = {
  postgres: barePostgres,
  mysql: bareMysql,
  redis: bareRedis,
};

const [kind, server, steps] = process.argv.slice(2) as [string, string, string];
process.send!(await measured(), () => process.exit(0));

async function measured(): Promise<MeasuredSide> {
  // The ledger in memory has the same graph, in the same order of nodes and edges.
  const declared = await declaredAgent("fixtures/ledger/memory.explore.ts");
  const agent = agentOf(declared, { strategy: "bfs", maxSteps: Number(steps), seed: 0, stopOnFirstViolation: false });
  const { graph } = await agent.explore({ parallel: 1 });
  const store = await STORES[kind]!(server);
  try {
    const served = await serveScript("fixtures/ledger/server.mjs", { DATABASE_URL: store.url });
    try {
      await store.prepare();
      return await bareWalk(graph, served.origin, store);
    } finally {
      await served.stop();
    }
  } finally {
    await store.close();
  }
}
