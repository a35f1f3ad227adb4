import type { HttpSettings } from "../adapters/http/defaults.ts";
import type { LaneReport } from "../messages/lane-messages.ts";
import { sameRoot } from "../engine/search/same-root.ts";
import { bringUp, type ClientOptions, type LaneOptions, type TargetControl } from "../lane/index.ts";
import type { AgentDefinition } from "../model/declare/agent.ts";
import { SeqqaError } from "../model/errors.ts";
import type { Lane } from "../model/declare/lane.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import { endConnectionDefaults } from "../network/connection-settings.ts";
import { differences } from "../state/index.ts";
import type { LaneSpec } from "../targets/lanes/lane-spec.ts";
import { DataFactory } from "../data/index.ts";
import { createAdapter } from "../adapters/load-store.ts";
import { startInProcess, type RunningTarget } from "./in-process-target.ts";
import type { BuiltLane, ProcessHost } from "./lane-factory.ts";
import { withProblem } from "./with-problem.ts";

/** Settings that a lane and its spares share. */
export interface LaneSettings {
  readonly definition: AgentDefinition<never, never>;
  readonly options: LaneOptions;
  readonly http: HttpSettings;
  /** Ends and starts the targets' processes. Required if the lane's specification asks for restarts. */
  readonly processes?: Partial<ProcessHost> | undefined;
}

type OneLane = Omit<BuiltLane, "spares">;

/**
 * Builds a lane in this thread and brings it to the root state, together with its spares (copies of the lane for `target.rollback: restart`).
 *
 * @param shared The data that `setup` made on the run's first lane. Absent when the first lane itself is built.
 */
export async function buildLane(settings: LaneSettings, spec: LaneSpec, shared?: unknown): Promise<BuiltLane> {
  const { definition, http } = settings;
  const first = await buildOne(settings, spec, { shared });
  // A World that the user passed as an object can only belong to one lane, so build no copies of the lane.
  const wanted = typeof definition.world === "object" ? [] : (spec.spares ?? []);
  const built = await Promise.allSettled(wanted.map((spare) => buildOne(settings, spare, { snapshot: first.base.report.snapshot })));
  const all = [first, ...built.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))];
  const close = async (later?: (problem: SeqqaError) => void): Promise<void> => {
    const closed = await Promise.allSettled(all.map((one) => one.close(later)));
    if (http.rateLimit !== undefined) (await import("../adapters/http/defaults.ts")).endRateLimit(http.rateLimit);
    if (http.connection !== undefined) endConnectionDefaults(http.connection);
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  };
  const spares = all.slice(1).map(({ base }) => base);
  const failed = built.find((one) => one.status === "rejected");
  const differs = spares.find((spare) => !sameRoot(spare.report, first.base.report));
  if (failed === undefined && differs === undefined) return { ...first, spares, close };
  await close().catch(() => undefined);
  throw failed?.reason ?? spareDiffers(first.base.report, differs!.report);
}

function spareDiffers(lane: LaneReport, spare: LaneReport): SeqqaError {
  const lines = differences(lane.rootLines, spare.rootLines, 5);
  return new SeqqaError(
    "ROOTS_DIFFER",
    `The standby lane cannot replace a lane, because its root state is different: ${lines.join("; ") || "the stores differ"}.`,
    {
      hint: 'Make the target and `setup` produce the same state each time. If a column changes by itself, add it to the option `ignore` of the World: `ignore: ["table.column"]`.',
    },
  );
}

/**
 * Builds a lane or one of its copies: store adapters, an in-process target if there is one, and a world. Adapters and clients are imported when they
 * are first needed, so that a lane loads only the drivers that it uses.
 */
async function buildOne(
  settings: LaneSettings,
  spec: LaneSpec,
  roots: { readonly snapshot?: unknown; readonly shared?: unknown },
): Promise<OneLane> {
  const { definition, options, http } = settings;
  const { HttpClient } = await import("../adapters/http/index.ts");
  const { setHttpDefaults } = await import("../adapters/http/defaults.ts");
  setHttpDefaults(http);
  const systems: Record<string, StoreAdapter> = {};
  const external = new Set<StoreAdapter>();
  for (const system of spec.systems) {
    const adapter = (systems[system.name] = await createAdapter(system));
    if (system.isUsedWhereItIs === true) external.add(adapter);
  }
  const plain: Lane = { index: spec.index, baseUrl: spec.baseUrl, dbUrl: spec.dbUrl, dbPath: spec.dbPath, systems, tmpDir: spec.tmpDir };
  let target: RunningTarget | undefined;
  let opened: Awaited<ReturnType<typeof bringUp>> | undefined;
  try {
    target = spec.targetModule === undefined ? undefined : await startInProcess(spec.targetModule, plain, systems);
    const lane: Lane = target === undefined ? plain : { ...plain, baseUrl: target.baseUrl, fetch: target.fetch };
    const createClient =
      lane.fetch === undefined && lane.baseUrl === ""
        ? undefined
        : (options: ClientOptions = {}) => new HttpClient(lane.fetch ?? lane.baseUrl, options);
    const process = processOf(spec, settings.processes);
    const parts = {
      lane,
      inProcess: target !== undefined,
      borrowed: spec.borrowed,
      external,
      isFirst: spec.isFirst,
      createClient,
      createData,
      process,
      restart: spec.restarts === true ? process : undefined,
      ...roots,
    };
    opened = await bringUp(definition, parts, options);
    if (target?.keptMemory !== undefined) opened = { ...opened, report: { ...opened.report, keptMemory: target.keptMemory } };
  } catch (error) {
    for (const system of Object.values(systems)) await Promise.resolve(system.close()).catch(() => undefined);
    await target?.close();
    throw error;
  }
  const base = opened;
  // A World that the user passed as an object is not closed, because the user or the next run will use its clients.
  const made = typeof definition.world === "function" || definition.world === undefined;
  const isExternal = spec.borrowed || external.size > 0;
  const close = async (): Promise<void> => {
    try {
      // Restore external stores and worlds of the user. The user does not expect them in the state that was explored last.
      if (isExternal || !made) await base.home.leave();
    } finally {
      if (made) await base.world.close();
      else for (const system of Object.values(base.world.systems)) await system?.close();
      await target?.close();
    }
  };
  return { base, isExternal, close: (later) => withProblem(() => base.state.asks.writes?.problem, close, later) };
}

const createData = (seed: string): DataFactory => new DataFactory({ seed });

function processOf({ restartable, restarts, index }: LaneSpec, processes: Partial<ProcessHost> | undefined): TargetControl | undefined {
  const { halt, start } = processes ?? {};
  if (halt === undefined || start === undefined) {
    if (restarts !== true) return undefined;
    throw new SeqqaError(
      "RESTART_IMPOSSIBLE",
      "seqqa cannot restart the target of this lane. This is a defect of seqqa: please report it.",
    );
  }
  return restartable ? { halt: () => halt.call(processes, index), start: () => start.call(processes, index) } : undefined;
}
