import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** What the figures of a run depend on. */
export function machine() {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Number((totalmem() / 2 ** 30).toFixed(1)),
    node: process.version,
    os: `${type()} ${release()}`,
  };
}
