import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** Returns the properties of the machine on which the figures of a run depend. */
export function machine() {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Number((totalmem() / 2 ** 30).toFixed(1)),
    node: process.version,
    os: `${type()} ${release()}`,
  };
}
