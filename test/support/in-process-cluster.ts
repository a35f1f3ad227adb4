import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { rootOf, type ClusterLanePool } from "../../src/lane-pools/cluster/cluster-lane-pool.ts";
import { ClusterWorker } from "../../src/lane-pools/cluster/cluster-worker.ts";
import { Coordinator, type Distributable } from "../../src/lane-pools/cluster/coordinator.ts";
import type { WorkerLanes } from "../../src/lane-pools/cluster/job-runner.ts";
import { QueueLink } from "../../src/lane-pools/cluster/queue-link.ts";
import { MessageSigner } from "../../src/lane-pools/cluster/message-signer.ts";
import { decodeSnapshot } from "../../src/lane-pools/threads/snapshot-codec.ts";
import type { AgentDefinition } from "../../src/model/declare/agent.ts";
import { atEnd } from "./at-end.ts";
import { ownRedis } from "./cluster.ts";
import { TestLanePool, type LanesExpanderOptions } from "./test-lane-pool.ts";

const LEDGER = fileURLToPath(new URL("../../fixtures/ledger/memory.explore.ts", import.meta.url));
const CODE = "0".repeat(64);
const SAME: ReadonlyMap<string, string> = new Map([["timeout", "x"]]);

/** Returns the ledger in memory. */
export const ledgerInMemory = async (): Promise<AgentDefinition<never, never>> =>
  ((await import(LEDGER)) as { readonly agent: AgentDefinition<never, never> }).agent;

export const newSecret = (): string => randomBytes(16).toString("hex");

let url: Promise<string> | undefined;

/** Returns the URL of a Redis for this test file. Files must not share one, because a worker sees every run in its Redis. */
function redisUrl(): Promise<string> {
  if (url === undefined) {
    atEnd(() => (url = undefined));
    url = ownRedis().then((redis) => redis.url);
  }
  return url;
}

/** Opens a connection to the Redis of the test file. */
export async function link(onNote: (message: string) => void = () => undefined): Promise<QueueLink> {
  return QueueLink.open({ url: await redisUrl(), ca: [], name: "of a test", onNote });
}

export interface OfferedRun {
  readonly coordinator: Coordinator;
  readonly notes: string[];
  /** Returns the lane pool for the next exploration of the run. Workers can join it after it was started and shared. */
  readonly explore: (differing?: Partial<Distributable>) => ClusterLanePool;
}

/** Offers a run that workers of this process may join. */
export async function offer(secret: string): Promise<OfferedRun> {
  const definition = await ledgerInMemory();
  const notes: string[] = [];
  const onNote = (note: string): void => void notes.push(note);
  const coordinator = await Coordinator.open({ url: await redisUrl(), secret, ca: [], version: "1", onNote });
  const lanes = { clockMs: Date.now(), earlierClocksMs: undefined, hideBodies: false, shapes: false, gated: undefined };
  const explore = (differing: Partial<Distributable> = {}): ClusterLanePool =>
    coordinator.lanePool({
      exploration: { name: "ledger", file: "memory.explore.ts", code: CODE },
      config: SAME,
      actions: definition.actions.length,
      lanes: { ...lanes, dataSeed: 0 },
      origins: new Set(),
      home: new TestLanePool({ definition, lanes: 2 }),
      ...differing,
    });
  return { coordinator, notes, explore };
}

export interface WorkerSetting {
  readonly lanes?: number;
  readonly version?: string;
  readonly code?: string;
  readonly config?: ReadonlyMap<string, string>;
  readonly lanePool?: Partial<LanesExpanderOptions>;
  /** The worker's lanes start only after this promise has resolved. */
  readonly before?: Promise<void>;
  /** Changes the worker's lanes. */
  readonly as?: (lanes: WorkerLanes) => WorkerLanes;
}

export interface WorkerHere {
  readonly ended: Promise<void>;
  readonly notes: string[];
  readonly leave: () => void;
}

/** Starts a worker in this process. */
export function work(secret: string, setting: WorkerSetting = {}): WorkerHere {
  const notes: string[] = [];
  const leaving = new AbortController();
  const onNote = (note: string): void => void notes.push(note);
  const run = async (): Promise<void> => {
    const { lanes = 1, version = "1", code = CODE, config = SAME, as = (same) => same } = setting;
    const own = await link(onNote);
    try {
      const start = async (): Promise<WorkerLanes> => {
        await setting.before;
        return as(await lanesOf(await ledgerInMemory(), lanes, setting.lanePool));
      };
      const prepare = (): Promise<{ code: string; config: ReadonlyMap<string, string>; start: typeof start }> =>
        Promise.resolve({ code, config, start });
      const { signal } = leaving;
      await new ClusterWorker({
        link: own,
        seal: new MessageSigner(secret),
        version,
        name: `worker:${lanes}`,
        prepare,
        onNote,
        signal,
      }).work();
    } finally {
      own.close();
    }
  };
  const ended = run();
  // Avoid an unhandled rejection: a test that awaits `ended` still gets the error.
  ended.catch(() => undefined);
  return { ended, notes, leave: () => leaving.abort() };
}

/** Returns the lanes of a worker, in the root state. */
export async function lanesOf(
  definition: AgentDefinition<never, never>,
  lanes: number,
  options: Partial<LanesExpanderOptions> = {},
): Promise<WorkerLanes & { readonly lanePool: TestLanePool }> {
  const lanePool = new TestLanePool({ definition, lanes, ...options });
  const reports = await lanePool.start();
  return {
    lanePool,
    ready: { lanes, root: rootOf(reports[0]!), portable: reports.every(({ portable }) => portable), origins: [] },
    snapshot: decodeSnapshot,
    actions: definition.actions.length,
    origins: new Set<string>(),
    close: () => lanePool.close(),
  };
}
