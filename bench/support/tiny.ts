import { Bench } from "tinybench";
import type { Row } from "./row.ts";

/** Measures short tasks by name. Each call of a task counts as `batch` operations. */
export async function tiny(tasks: Readonly<Record<string, () => unknown>>, batch: number = 1): Promise<readonly Row[]> {
  const bench = new Bench({ time: 500, warmupTime: 100, throws: true });
  for (const [name, task] of Object.entries(tasks)) bench.add(name, task);
  await bench.run();
  return bench.tasks.map((task): Row => {
    if (task.result.state !== "completed") throw new Error(`The task "${task.name}" ended ${task.result.state}.`);
    const { p50, rme } = task.result.latency;
    return { name: task.name, value: (p50 * 1e6) / batch, unit: "ns", note: `median, ±${rme.toFixed(1)} %` };
  });
}
