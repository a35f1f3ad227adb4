import { hostname } from "node:os";
import { basename } from "node:path";
import type { Config } from "../../config/index.ts";
import { ClusterWorker, type Prepared } from "../../lane-pools/cluster/cluster-worker.ts";
import { rootOf } from "../../lane-pools/cluster/cluster-lane-pool.ts";
import type { Announced, Facts } from "../../lane-pools/cluster/handshake.ts";
import type { WorkerLanes } from "../../lane-pools/cluster/job-runner.ts";
import { QueueLink } from "../../lane-pools/cluster/queue-link.ts";
import { MessageSigner } from "../../lane-pools/cluster/message-signer.ts";
import { decodeSnapshot } from "../../lane-pools/threads/snapshot-codec.ts";
import { discover } from "../../loader/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { knowsNothing, readKnowledge } from "../../state/index.ts";
import { checkLanes } from "../prepare/check-lanes.ts";
import { comparableConfig } from "../resume/comparable-config.ts";
import { openLanes } from "../lanes/open-lanes.ts";
import { loadExploration, type LoadedExploration } from "../prepare/load-exploration.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";

export interface WorkInput {
  readonly config: Config;
  readonly directory: string;
  /** The URL of the Redis server. The URL may contain a password. */
  readonly url: string;
  /** The value of the environment variable `SEQQA_SECRET`, which the run and its workers share. */
  readonly secret: string;
  readonly version: string;
  readonly onNote: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Lets this process work for a distributed run, with its own lanes, until the run is over.
 * @throws SeqqaError `WORKER_REFUSED` (2), `QUEUE_UNREACHABLE` and `RUN_GONE` (3), `DRIVER_MISSING` and `REDIS_URL_INVALID` (2), and errors of
 * targets and stores
 */
export async function work({ config, directory, url, secret, version, onNote, signal }: WorkInput): Promise<void> {
  const link = await QueueLink.open({ url, ca: config.tls.ca, name: "seqqa worker", onNote });
  const seal = new MessageSigner(secret);
  const values = comparableConfig(config, (value) => seal.digest(value));
  try {
    await withRunDirectory(async (bundles) => {
      const prepare = async (announced: Announced): Promise<Prepared> => {
        const loaded = await findExploration(announced, directory, bundles);
        return {
          code: loaded.module.hash,
          config: values,
          start: (facts) => startLanes(loaded, config, facts, bundles, signal),
        };
      };
      const name = `${
        hostname()
          .replace(/[^\w.-]/g, "-")
          .slice(0, 100) || "host"
      }:${process.pid}`;
      await new ClusterWorker({ link, seal, version, name, prepare, onNote, signal }).work();
    });
  } finally {
    link.close();
  }
}

/** Loads the exploration that the run announced. Also loads a file of that name whose code differs, so that the worker can report the difference. */
async function findExploration({ file, code }: Announced, directory: string, bundles: string): Promise<LoadedExploration> {
  const files = (await discover(directory)).filter((one) => basename(one) === basename(file));
  let other: LoadedExploration | undefined;
  for (const one of files) {
    const loaded = await loadExploration(one, bundles);
    if (loaded.module.hash === code) return loaded;
    other ??= loaded;
  }
  if (other !== undefined) return other;
  throw new SeqqaError(
    "WORKER_REFUSED",
    `This worker cannot join the run, because the file ${basename(file)} does not exist in ${directory}.`,
    {
      hint: "Check out the same code as the run, and start the worker in this checkout: seqqa worker [directory] --redis <url>.",
      exitStatus: 2,
    },
  );
}

/** Starts lanes with the clock, the seed and the knowledge that the distributed run published. */
async function startLanes(
  { definition, module }: LoadedExploration,
  config: Config,
  facts: Facts,
  directory: string,
  signal: AbortSignal,
): Promise<WorkerLanes> {
  const { knowledge, ...settings } = facts.options;
  const isInline = config.parallel === 1;
  const shared = facts.shared === undefined || !isInline ? facts.shared : decodeSnapshot(facts.shared);
  const lanes = await openLanes({
    config,
    definition,
    module,
    directory,
    signal,
    spares: true,
    settings: { ...settings, literals: module.literals },
    shared,
  });
  const { lanePool, host } = lanes;
  try {
    const started = await lanePool.start();
    const known = readKnowledge(knowledge);
    const reports = knowsNothing(known) ? started : await lanePool.learn(known);
    checkLanes(reports, config);
    return {
      lanePool,
      ready: {
        lanes: lanePool.lanes,
        root: rootOf(reports[0]!),
        portable: reports.every(({ portable }) => portable),
        origins: [...host.origins],
      },
      snapshot: isInline ? decodeSnapshot : (text) => text,
      actions: definition.actions.length,
      origins: host.origins,
      close: () => lanes.close(),
    };
  } catch (error) {
    await lanes.close().catch(() => undefined);
    signal.throwIfAborted();
    throw error;
  }
}
