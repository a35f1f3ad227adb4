import { loadConfig, type Config } from "../../src/config/index.ts";
import type { ExplorationResult } from "../../src/model/results/result.ts";
import { journeyJson, redactor, runDocument, type RunReport } from "../../src/reports/index.ts";
import { newRunId, RunLog } from "../../src/run-log/index.ts";
import { report } from "./results.ts";

/** The configuration of a folder without a file. */
export const configIn = (folder: string, env: Readonly<Record<string, string>> = {}): Config =>
  loadConfig({ directory: folder, env, cwd: folder });

/** A store as `run` writes it when nothing was written along; its id. */
export function store(config: Config, changes: Partial<RunReport> = {}, ended = true): string {
  const whole = report({ run: newRunId(new Date()), ...changes });
  const document = runDocument({ ...whole, explorations: [], journeys: [], failures: [] }, config.report);
  const written = new RunLog(config, { ...document, exitStatus: 130 }, redactor(config.report.redact));
  for (const { name, file, result } of whole.explorations) written.exploration(file).ended(name, result);
  written.journeys(whole.journeys.map((one) => journeyJson(one, config.report)));
  for (const failure of whole.failures) written.failure(failure);
  if (ended) written.end(document);
  return whole.run;
}

/** A graph from its edges, as (from, action, to); nodes are numbered as they are first met. */
export function graphOf(edges: readonly (readonly [number, number, number])[], actions: readonly string[]): ExplorationResult["graph"] {
  const nodes = 1 + Math.max(0, ...edges.map(([, , to]) => to));
  const parents = new Int32Array(nodes).fill(-1);
  const parentActions = new Int32Array(nodes).fill(-1);
  const depths = new Int32Array(nodes);
  const met = new Set([0]);
  for (const [from, action, to] of edges) {
    if (to < 0 || met.has(to)) continue;
    met.add(to);
    parents[to] = from;
    parentActions[to] = action;
    depths[to] = depths[from]! + 1;
  }
  const column = (index: 0 | 1 | 2): Int32Array => Int32Array.from(edges, (edge) => edge[index]);
  return {
    actions,
    nodes,
    edges: edges.length,
    parents,
    parentActions,
    depths,
    edgeFrom: column(0),
    edgeAction: column(1),
    edgeTo: column(2),
    edgeStatus: new Int32Array(edges.length).fill(200),
    path: () => [],
  };
}
