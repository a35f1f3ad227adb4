import { availableParallelism } from "node:os";
import { resolveExploration, type Config, type ResolvedExploration } from "../../config/index.ts";
import { BrokenRules, type ViolationPolicy } from "../../engine/commit/broken-rules.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import { CRASHED, type LaneReport } from "../../messages/lane-messages.ts";
import type { ClusterLanePool } from "../../lane-pools/cluster/cluster-lane-pool.ts";
import { WatchedLanePool } from "../../lane-pools/watched-lane-pool.ts";
import type { LaneOptions } from "../../lane/index.ts";
import { mapStack } from "../../loader/index.ts";
import { STRATEGIES } from "../../model/declare/strategy.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult, Reduction, RunError } from "../../model/results/result.ts";
import { redactor } from "../../reports/index.ts";
import type { Knowledge } from "../../state/index.ts";
import { spareCount, TargetHost } from "../../targets/index.ts";
import { bringUpLanes } from "./at-root.ts";
import { closeAfter } from "./close-after.ts";
import { declaredAt, whereOfStack } from "../prepare/declared-at.ts";
import { EndedTargets } from "./ended-targets.ts";
import type { ExploreInput } from "../prepare/explore-input.ts";
import { freshStateNotes } from "./fresh-states.ts";
import { hostOptions } from "../prepare/host-options.ts";
import { lanePoolOf, refuseLanesWithoutModule } from "../prepare/lane-pool-of.ts";
import { withExemptions } from "../results/idle-actions.ts";
import { laneOptions } from "../prepare/lane-options.ts";
import { buildResult } from "../results/result-builder.ts";
import { resultSoFar } from "../results/result-so-far.ts";
import { search } from "./search.ts";
import { shardBudget, shardNote } from "../shards/shard.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";
import { findRaces, NO_RACES, refuseRaces, type FoundRaces } from "./races.ts";
import { neverOccurredNotes } from "../results/never-occurred.ts";
import { twoPacketsNote } from "../results/two-packets-note.ts";
import { inconclusiveNotes } from "../results/inconclusive-notes.ts";
import { behindViolations } from "../results/verdict-exceptions.ts";
import { violationPolicy } from "./violation-policy.ts";
import { wasteNotes } from "../results/waste.ts";
import { notReplayedNote, shortestViolations, shrinkingCutNote } from "./shrinking.ts";

/** `max_depth` if nothing shows the state of the target, since every write then leads to a new state. */
const BLIND_DEPTH = 4;
/** Cross-checks: the first 20 nodes of a run, and 1 in 200 later. */
const CROSS_CHECK = { first: 20, oneIn: 200 } as const;

/** The composition root of an exploration: targets, lanes, engine, confirmation and result. Everything is closed at the end. */
export async function explore(input: ExploreInput): Promise<ExplorationResult> {
  const begun = performance.now() - (input.keep?.before?.durationMs ?? 0);
  const { config, definition, onEvent } = input;
  const { shard } = input;
  const budget = shardBudget(resolveExploration(config, definition), shard, input.name, definition);
  refuseLanesWithoutModule(input);
  const host = await TargetHost.create(config, {
    output: { folder: config.report.outputDir, hide: redactor(config.report.redact).body },
    ...hostOptions(input.directory),
    lanes: config.parallel,
    signal: input.signal,
    // A World that is not made by a factory can be used by one lane only.
    spares: typeof definition.world === "object" ? 0 : spareCount(config, { cores: availableParallelism(), lanes: config.parallel }),
  });
  try {
    const impossible = config.parallel > 1 ? host.canMakeLanes(config.parallel) : undefined;
    if (impossible !== undefined) throw impossible;
    const lanes = optionsOfLanes(input, budget);
    const home = new WatchedLanePool(lanePoolOf({ config, definition, module: input.module, host, options: lanes }), host);
    const cluster = clusterOf(input, lanes, home, host.origins);
    const lanePool: LanePool = cluster ?? home;
    const explored = async (): Promise<ExplorationResult> => {
      const maxTimeMs = (budget.maxTime ?? Infinity) * 1000;
      const brought = await bringUpLanes(lanePool, input, maxTimeMs);
      const { notes, reports } = brought;
      refuseRaces(budget.races, reports[0]!);
      const policy = violationPolicy(definition, budget.continueAfterViolation);
      onEvent({ kind: "started", name: input.name, lanes: lanePool.lanes, notes: [...notes, ...rootNote(reports[0]!, policy)] });
      const actions = definition.actions.map(({ name }) => name);
      const ended = new EndedTargets();
      const options: ExplorerOptions = {
        name: input.name,
        actions,
        ownActions: definition.ownActions,
        strategy: budget.strategyKind,
        maxSteps: budget.maxSteps,
        maxDepth: budget.maxDepth ?? (reports[0]!.visibility === "nothing" ? BLIND_DEPTH : Infinity),
        maxTimeMs,
        stopOnFirstViolation: budget.stopOnFirstViolation,
        violationPolicy: policy,
        isKnown: (found) => input.known?.has(findingId(input.name, found)) === true,
        seed: budget.seed,
        direct: directAllowed(reports),
        crossCheck: CROSS_CHECK,
        saidChains: new Set(),
        shard,
        signal: input.signal,
        onEvent: (event) => {
          ended.see(event);
          onEvent(event);
        },
      };
      const { keep } = input;
      const shown = shownUrls(config, host);
      const declared = declaredAt(definition);
      const soFar = (explorer: Explorer): ExplorationResult =>
        resultSoFar({
          name: input.name,
          actions,
          invariants: definition.invariants.map(({ name }) => name),
          seed: budget.seed,
          strategy: budget.strategyKind,
          explorer,
          notes: [...notes, ...explorer.chains.notes, ...twoPacketsNote(explorer)],
          durationMs: performance.now() - begun,
          urls: shown(),
          mapStack,
          whereOf: whereOfStack,
          declaredAt: declared,
        });
      const { explorer, knowledge, refuted, visibility } = await search(input, {
        lanePool,
        options,
        brought,
        clockMs: lanes.clockMs,
        maxDepth: budget.maxDepth,
        shown,
        soFar,
      });
      if (explorer.stopReason === "max_time" || explorer.stopReason === "interrupted") host.endStandby();
      // Findings are confirmed, shortened and raced on the lanes of this process, as after any run.
      await cluster?.dismiss();
      keep?.flush(explorer.committer, () => soFar(explorer));
      const errors: RunError[] = [];
      const races = await findRaces(explorer, options, home, budget.races).catch((error: unknown) => {
        // The exploration is reported even if probing for races fails.
        if (input.signal?.aborted !== true) errors.push(fatalError(error));
        return NO_RACES;
      });
      return await conclude(input, explorer, options, home, notes, races, begun, host.origins, {
        errors,
        ended,
        knowledge,
        refuted,
        visibility,
      });
    };
    return await closeAfter(explored, () => lanePool.close());
  } finally {
    await host.close();
  }
}

/** Returns a note about rules that the root state breaks. It is shown before exploring, since every finding of the run may have this cause. */
function rootNote({ findings }: LaneReport, policy: ViolationPolicy | undefined): readonly string[] {
  if (findings.length === 0) return [];
  const broken = `The root state breaks ${findings.map(({ invariant }) => invariant).join(", ")}`;
  if (policy !== undefined && new BrokenRules(policy).passes(findings)) return [`${broken}: mend setup, or the rule.`];
  return [`${broken}: nothing is explored from there. Mend setup, or the rule.`];
}

/** Facts for the result that the explorer does not hold. */
interface Outcome {
  readonly errors: readonly RunError[];
  readonly ended: EndedTargets;
  readonly knowledge: Knowledge;
  readonly refuted: readonly Reduction[];
  readonly visibility: LaneReport["visibility"];
}

async function conclude(
  input: ExploreInput,
  explorer: Explorer,
  options: ExplorerOptions,
  lanePool: LanePool,
  notes: readonly string[],
  races: FoundRaces,
  begun: number,
  origins: ReadonlySet<string>,
  { errors, ended, knowledge, refuted, visibility }: Outcome,
): Promise<ExplorationResult> {
  const { definition, onEvent, config } = input;
  const { actions, seed } = options;
  const violations = await shortestViolations(explorer, options, lanePool);
  const sharing = options.shard === undefined || explorer.cut === undefined ? [] : [shardNote(options.shard, explorer.cut)];
  const more = [...notes, ...sharing, ...chainNotes(explorer), ...twoPacketsNote(explorer), ...(await freshStateNotes(explorer, lanePool))];
  // A resumed run does not know the keys of its first session, nor a shard those of the other shards, so a note could be false.
  if (options.shard === undefined && input.keep?.before === undefined) more.push(...neverOccurredNotes(explorer));
  const left = notReplayedNote(violations);
  if (left !== undefined) more.push(left);
  if (input.signal?.aborted !== true) more.push(...ended.notes(violations.some(({ found }) => found.finding.invariant === CRASHED)));
  const asFound = violations.filter(({ minimality }) => minimality === "as_found").length;
  const coverage = withExemptions(explorer.committer.coverage(), definition, config.exploration.requireAllActions);
  more.push(...wasteNotes(definition, coverage), ...inconclusiveNotes(explorer.committer));
  if (behindViolations(explorer.committer).length > 0) more.push(BEHIND_NOTE);
  if (asFound > 0 && input.signal?.aborted !== true) more.push(shrinkingCutNote(asFound));
  await closeLanes(lanePool, explorer);
  // An interruption after exploring counts, too, since a part of the result is missing.
  if (input.signal?.aborted === true) explorer.stopReason = "interrupted";
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
    coverage,
    isShard: options.shard !== undefined,
    knowledge,
    refuted,
    visibility,
    durationMs: performance.now() - begun,
    urls: new ShownUrls(config.baseUrl, origins),
    mapStack,
    whereOf: whereOfStack,
    declaredAt: declaredAt(definition),
    extraErrors: [...(explorer.fatal === undefined ? [] : [fatalError(explorer.fatal)]), ...errors],
  });
  onEvent({ kind: "finished", result });
  return result;
}

/** Returns the notes on endless chains. An exhausted search shows that no chain was endless. */
function chainNotes({ chains, stopReason }: Explorer): readonly string[] {
  return stopReason === "exhausted" ? [] : chains.notes;
}

const BEHIND_NOTE = "Nothing was tried behind states that violate a rule: --continue-after-violation explores there, too.";

/** Returns the URLs of the current lanes. A rebuilt lane may have another URL. */
function shownUrls(config: Config, { origins }: TargetHost): () => ShownUrls {
  let known = -1;
  let urls: ShownUrls;
  return () => {
    if (origins.size !== known) urls = new ShownUrls(config.baseUrl, origins);
    known = origins.size;
    return urls;
  };
}

/** Ends the lanes before the result is made, so that the result includes a store that could not be restored at the end. */
async function closeLanes(lanePool: LanePool, explorer: Explorer): Promise<void> {
  try {
    await lanePool.close();
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

function optionsOfLanes({ config, module, keep }: ExploreInput, budget: ResolvedExploration): LaneOptions {
  return laneOptions(config, {
    literals: module?.literals,
    dataSeed: budget.seed,
    shapes: STRATEGIES[budget.strategyKind].needsShapes,
    gated: budget.races.mode === "pairs" && ["auto", "gated"].includes(budget.races.delivery),
    earlierClocksMs: keep?.before?.beginning.clocksMs,
  });
}

/** Returns the lanes of workers, if the run has any. */
function clusterOf(
  { distributed, module, definition, name }: ExploreInput,
  lanes: LaneOptions,
  home: LanePool,
  origins: Set<string>,
): ClusterLanePool | undefined {
  return distributed?.by.lanePool({
    name,
    entry: distributed.entry,
    code: module!.hash,
    actions: definition.actions.length,
    lanes,
    home,
    origins,
  });
}

/** Returns `true` if states can be reached by snapshot: there is a store, and snapshots can be written to every store. */
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
