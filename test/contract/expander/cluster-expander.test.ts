import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { rootOf } from "../../../src/expanders/cluster/cluster-expander.ts";
import { ClusterWorker } from "../../../src/expanders/cluster/cluster-worker.ts";
import { Coordinator } from "../../../src/expanders/cluster/coordinator.ts";
import type { WorkerLanes } from "../../../src/expanders/cluster/job-runner.ts";
import { QueueLink } from "../../../src/expanders/cluster/queue-link.ts";
import { Seal } from "../../../src/expanders/cluster/seal.ts";
import { decodeImage } from "../../../src/expanders/threads/image-codec.ts";
import type { AgentDefinition } from "../../../src/model/agent.ts";
import { LanesExpander } from "../../support/lanes-expander.ts";
import { redisUrl } from "../../support/services.ts";
import { expanderContract } from "./expander-contract.ts";

const LEDGER = fileURLToPath(new URL("../../../fixtures/ledger/memory.explore.ts", import.meta.url));
const CODE = "0".repeat(64);
const SAME = new Map([["timeout", "x"]]);

expanderContract("workers behind a queue", async () => {
  const url = await redisUrl();
  const definition = ((await import(LEDGER)) as { readonly agent: AgentDefinition<never, never> }).agent;
  const secret = randomBytes(16).toString("hex");
  const onNote = (): void => undefined;
  const coordinator = await Coordinator.open({ url, secret, ca: [], version: "1", onNote });
  const cluster = coordinator.expander({
    exploration: { name: "ledger", file: "memory.explore.ts", code: CODE },
    config: SAME,
    actions: definition.actions.length,
    lanes: { clockMs: Date.now(), earlierClocksMs: undefined, hideBodies: false, masked: [], shapes: false, gated: undefined, dataSeed: 0 },
    origins: new Set(),
    home: new LanesExpander({ definition, lanes: 2 }),
  });
  const leaving = new AbortController();
  const seal = new Seal(secret);
  const workers = [1, 2].map(async (lanes) => {
    const link = await QueueLink.open({ url, ca: [], name: "worker", onNote });
    await new ClusterWorker({
      link,
      seal,
      version: "1",
      name: `worker:${lanes}`,
      prepare: () => Promise.resolve({ code: CODE, config: SAME, start: () => lanesOf(definition, lanes) }),
      onNote,
      signal: leaving.signal,
    }).work();
    link.close();
  });
  const close = cluster.close.bind(cluster);
  return Object.assign(cluster, {
    close: async () => {
      await close();
      await coordinator.close();
      leaving.abort();
      await Promise.all(workers);
    },
  });
});

async function lanesOf(definition: AgentDefinition<never, never>, lanes: number): Promise<WorkerLanes> {
  const expander = new LanesExpander({ definition, lanes });
  const reports = await expander.start();
  return {
    expander,
    ready: { lanes, root: rootOf(reports[0]!), portable: reports.every(({ portable }) => portable), origins: [] },
    image: decodeImage,
    actions: definition.actions.length,
    origins: new Set<string>(),
    close: () => expander.close(),
  };
}
