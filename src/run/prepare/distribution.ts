import { relative, sep } from "node:path";
import type { Config } from "../../config/index.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { ClusterLanePool } from "../../lane-pools/cluster/cluster-lane-pool.ts";
import { Coordinator } from "../../lane-pools/cluster/coordinator.ts";
import type { LaneOptions } from "../../lane/index.ts";
import { comparableConfig } from "../resume/comparable-config.ts";

export interface DistributeInput {
  readonly config: Config;
  /** The URL of the Redis server. The URL may contain a password. */
  readonly url: string;
  /** The value of the environment variable `SEQQA_SECRET`, which the run and its workers share. */
  readonly secret: string;
  readonly version: string;
  /** Paths of exploration files are sent to workers relative to this directory. */
  readonly directory: string;
  readonly onNote: (message: string) => void;
}

export interface DistributedExploration {
  readonly name: string;
  readonly entry: string;
  readonly code: string;
  readonly actions: number;
  readonly lanes: LaneOptions;
  readonly home: LanePool;
  /** A set to which the run adds the URLs of the workers' lanes. */
  readonly origins: Set<string>;
}

/** The workers of a distributed run. Several explorations use the same workers one after another. */
export interface Distribution {
  lanePool(exploration: DistributedExploration): ClusterLanePool;
  close(): Promise<void>;
}

/**
 * Announces a distributed run, so that workers can join it.
 * @throws SeqqaError `QUEUE_UNREACHABLE` (3), `DRIVER_MISSING` and `REDIS_URL_INVALID` (2)
 */
export async function distribute({ config, directory, ...rest }: DistributeInput): Promise<Distribution> {
  const coordinator = await Coordinator.open({ ...rest, ca: config.tls.ca });
  const values = comparableConfig(config, (value) => coordinator.digest(value));
  return {
    close: () => coordinator.close(),
    lanePool: ({ name, entry, code, actions, lanes, home, origins }) => {
      const { clockMs, earlierClocksMs, hideBodies, shapes, gated, operations, dataSeed = 0 } = lanes;
      return coordinator.lanePool({
        exploration: { name, file: relative(directory, entry).split(sep).join("/"), code },
        config: values,
        actions,
        lanes: { clockMs, earlierClocksMs, hideBodies, shapes, gated, operations, dataSeed },
        home,
        origins,
      });
    },
  };
}
