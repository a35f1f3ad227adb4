import { availableParallelism } from "node:os";
import { resolveExploration, type Config, type ResolvedExploration } from "../config/index.ts";
import type { ExplorationEvent } from "../engine/events.ts";
import type { Expander } from "../engine/expander.ts";
import { Explorer, type ExplorerOptions } from "../engine/explorer.ts";
import { findingId } from "../engine/finding-id.ts";
import type { LaneReport } from "../engine/messages.ts";
import { buildLane } from "../expanders/build-lane.ts";
import { InlineExpander } from "../expanders/inline/inline-expander.ts";
import { ThreadsExpander } from "../expanders/threads/threads-expander.ts";
import { WatchedExpander } from "../expanders/watched-expander.ts";
import { mapStack, whereOf } from "../loader/index.ts";
import type { AgentDefinition } from "../model/agent.ts";
import { SeqqaError } from "../model/errors.ts";
import type { ExplorationResult, RunError } from "../model/result.ts";
import type { ExplorationKeeper } from "../store/index.ts";
import { spareCount, TargetHost } from "../targets/index.ts";
import { checkLanes } from "./check-lanes.ts";
import { declaredAt } from "./declared-at.ts";
import { freshStateNotes } from "./fresh-states.ts";
import { hostOptions } from "./host-options.ts";
import { httpSettings } from "./http-settings.ts";
import { laneOptions } from "./lane-options.ts";
import { buildResult } from "./result-builder.ts";
import { resultSoFar } from "./result-so-far.ts";
import { ShownUrls } from "./shown-urls.ts";
import { findRaces, refuseRaces, type FoundRaces } from "./races.ts";
import { shortestViolations, shrinkingCutNote } from "./shrinking.ts";

/** The bundle of the user's module, for lanes in other threads. */
export interface UserModule {
  readonly bundle: string;
  readonly exportName: string;
  /** String literals of the user's own code. */
  readonly literals: readonly string[];
}

export interface ExploreInput {
  readonly definition: AgentDefinition<never, never>;
  readonly module: UserModule | undefined;
  readonly name: string;
  readonly config: Config;
  /** For bundles. */
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Ids of findings that are no reason to stop at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Writes down what is committed; `undefined`: nothing is kept of single steps and states. */
  readonly keep?: ExplorationKeeper | undefined;
}

/** Cross-checks: the first 20 nodes of a run, and 1 in 200 later. */
const CROSS_CHECK = { first: 20, oneIn: 200 } as const;

/** The composition root of an exploration: targets, lanes, engine, confirmation, result; everything is put away at the end. */
export async function explore(input: ExploreInput): Promise<ExplorationResult> {
  const begun = performance.now();
  const { config, definition, onEvent } = input;
  const budget = resolveExploration(config, definition);
  refuseLanesWithoutModule(input);
  const host = await TargetHost.create(config, {
    ...hostOptions(input.directory),
    lanes: config.parallel,
    signal: input.signal,
    // A World that is no factory is one lane's alone.
    spares: typeof definition.world === "object" ? 0 : spareCount(config, { cores: availableParallelism(), lanes: config.parallel }),
  });
  try {
    const impossible = config.parallel > 1 ? host.canMakeLanes(config.parallel) : undefined;
    if (impossible !== undefined) throw impossible;
    const expander = new WatchedExpander(expanderFor(input, host, budget), host);
    try {
      const { reports, notes } = await bringUpLanes(expander, config, input.signal);
      refuseRaces(budget.races, reports[0]!);
      onEvent({ kind: "started", name: input.name, lanes: expander.lanes, notes });
      const actions = definition.actions.map(({ name }) => name);
      const options: ExplorerOptions = {
        name: input.name,
        actions,
        strategy: budget.strategyKind,
        maxSteps: budget.maxSteps,
        maxDepth: budget.maxDepth ?? Infinity,
        maxTimeMs: (budget.maxTime ?? Infinity) * 1000,
        stopOnFirstViolation: budget.stopOnFirstViolation,
        isKnown: (found) => input.known?.has(findingId(input.name, found)) === true,
        seed: budget.seed,
        direct: directAllowed(reports),
        crossCheck: CROSS_CHECK,
        signal: input.signal,
        onEvent,
      };
      const { keep } = input;
      const shown = shownUrls(config, host);
      keep?.begin({ name: input.name, strategy: budget.strategyKind, actions, shown: (exchange) => shown().exchange(exchange) });
      const declared = declaredAt(definition);
      const soFar = (): ExplorationResult =>
        resultSoFar({
          name: input.name,
          actions,
          invariants: definition.invariants.map(({ name }) => name),
          seed: budget.seed,
          strategy: budget.strategyKind,
          explorer,
          notes,
          durationMs: performance.now() - begun,
          urls: shown(),
          mapStack,
          whereOf: whereOfStack,
          declaredAt: declared,
        });
      const onCommits = keep === undefined ? undefined : (): void => keep.commits(explorer.committer, soFar);
      const explorer: Explorer = new Explorer({ ...options, details: keep?.limits, onCommits }, expander, performance.now());
      await explorer.run(reports[0]!);
      keep?.flush(explorer.committer, soFar);
      const races = await findRaces(explorer, options, expander, budget.races);
      return await conclude(input, explorer, options, expander, notes, races, begun, host.origins);
    } finally {
      await expander.close();
    }
  } finally {
    await host.close();
  }
}

interface BroughtUp {
  readonly reports: readonly LaneReport[];
  readonly notes: readonly string[];
}

/** What does not come up any more once the signal is aborted was given up because of it. @throws its reason then */
async function bringUpLanes(expander: Expander, config: Config, signal: AbortSignal | undefined): Promise<BroughtUp> {
  try {
    return await atOneRoot(expander, config);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** All lanes at one root state, with what differs from execution to execution left out of it. */
async function atOneRoot(expander: Expander, config: Config): Promise<BroughtUp> {
  const reports = await expander.start();
  const notes = checkLanes(reports, config);
  const fields = await expander.calibrate();
  if (fields.length === 0) return { reports, notes };
  const masked = await expander.mask(fields);
  const list = fields.join(", ");
  return {
    reports: masked,
    notes: [...checkLanes(masked, config), `Not part of the state, since they differ between two executions of one path: ${list}.`],
  };
}

async function conclude(
  input: ExploreInput,
  explorer: Explorer,
  options: ExplorerOptions,
  expander: Expander,
  notes: readonly string[],
  races: FoundRaces,
  begun: number,
  origins: ReadonlySet<string>,
): Promise<ExplorationResult> {
  const { definition, onEvent, config } = input;
  const { actions, seed } = options;
  const { findings } = explorer.committer;
  if (findings.violations.size > 0) onEvent({ kind: "confirming", violations: findings.violations.size });
  const violations = await shortestViolations(explorer, options, expander);
  const more = [...notes, ...(await freshStateNotes(explorer, expander))];
  if (input.signal?.aborted === true && violations.some(({ recording }) => recording === undefined)) {
    more.push("Interrupted before every violation was replayed from a clean start: those that were not are marked as not confirmed.");
  }
  const asFound = violations.filter(({ minimality }) => minimality === "as_found").length;
  if (asFound > 0 && input.signal?.aborted !== true) more.push(shrinkingCutNote(asFound));
  await closeLanes(expander, explorer);
  const result = buildResult({
    name: input.name,
    actions,
    invariants: definition.invariants.map(({ name }) => name),
    seed,
    strategy: options.strategy,
    graph: definition.graph,
    explorer,
    violations,
    races,
    notes: more,
    durationMs: performance.now() - begun,
    urls: new ShownUrls(config.baseUrl, origins),
    mapStack,
    whereOf: whereOfStack,
    declaredAt: declaredAt(definition),
    extraErrors: explorer.fatal === undefined ? [] : [fatalError(explorer.fatal)],
  });
  onEvent({ kind: "finished", result });
  return result;
}

const whereOfStack = (stack: string): string | undefined => whereOf(Object.assign(new Error(), { stack }));

/** The URLs of the lanes that there are; a lane that is built anew may have another one. */
function shownUrls(config: Config, { origins }: TargetHost): () => ShownUrls {
  let known = -1;
  let urls: ShownUrls;
  return () => {
    if (origins.size !== known) urls = new ShownUrls(config.baseUrl, origins);
    known = origins.size;
    return urls;
  };
}

/** Ends the lanes before the result is made, so that a store which could not be put back in the end is part of it. */
async function closeLanes(expander: Expander, explorer: Explorer): Promise<void> {
  try {
    await expander.close();
  } catch (error) {
    explorer.divergences.add({
      kind: "not_put_back",
      path: [],
      message: `At the end a store could not be put back: ${error instanceof Error ? error.message : String(error)}`,
      differences: [],
      hint: error instanceof SeqqaError ? error.hint : undefined,
    });
  }
}

function expanderFor(input: ExploreInput, host: TargetHost, budget: ResolvedExploration): Expander {
  const { config, definition, module } = input;
  const options = laneOptions(config, {
    literals: module?.literals,
    dataSeed: budget.seed,
    shapes: budget.strategyKind === "coverage_guided",
    gated: budget.races.mode === "pairs" && ["auto", "gated"].includes(budget.races.delivery),
  });
  const http = httpSettings(config);
  if (config.parallel === 1) {
    return new InlineExpander({ definition, host, options, build: (d, spec, o, shared) => buildLane(d, spec, o, http, host, shared) });
  }
  return new ThreadsExpander({
    lanes: config.parallel,
    // A second chunk waits in the lane, so that it need not wait for the main thread.
    depth: 2,
    host,
    bundle: module!.bundle,
    exportName: module!.exportName,
    options,
    http,
    setUp: definition.setup !== undefined,
    hangMs: Math.max(60_000, 2 * longestRequestMs(config)),
  });
}

/** With all its retries. */
function longestRequestMs({ timeout, retry }: Config): number {
  const attempts = retry?.maxAttempts ?? 1;
  return 1000 * (timeout * attempts + (retry?.maxDelay ?? 0) * (attempts - 1));
}

function refuseLanesWithoutModule({ config, definition, module }: ExploreInput): void {
  if (config.parallel === 1) return;
  if (module === undefined) {
    throw new SeqqaError("LANES_NEED_MODULE", `parallel is ${config.parallel}, but functions cannot cross threads.`, {
      exitStatus: 2,
      hint: "Pass module: import.meta.url from the file that exports the agent, or run it with the command line.",
    });
  }
  if (definition.world !== undefined && typeof definition.world !== "function") {
    throw new SeqqaError(
      "LANES_NEED_FACTORY",
      definition.graph === undefined
        ? `parallel is ${config.parallel}, but the agent's world is one World, which only one lane can use.`
        : `parallel is ${config.parallel}, but explore() was given one client, or the graph one World, which only one lane can use.`,
      {
        exitStatus: 2,
        hint: "Write world: (lane) => new World({ ... }), so that every lane gets its own.",
      },
    );
  }
}

/** A state can be written directly only where every store can, and there is a store at all. */
function directAllowed(reports: readonly LaneReport[]): boolean {
  return reports.every(({ portable }) => portable);
}

function fatalError(error: unknown): RunError {
  const known = error instanceof Error ? error : new Error(String(error));
  return {
    code: error instanceof SeqqaError ? error.code : "INTERNAL",
    message: error instanceof SeqqaError && error.hint !== undefined ? `${error.message} ${error.hint}` : known.message,
    path: [],
    source: "run",
    stack: known.stack,
    count: 1,
  };
}
