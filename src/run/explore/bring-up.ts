import { resolveExploration, type Config } from "../../config/index.ts";
import { BrokenRules, type ViolationPolicy } from "../../engine/commit/broken-rules.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { mapStack } from "../../loader/index.ts";
import { STRATEGIES } from "../../model/declare/search/strategy.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import { redactor } from "../../reports/index.ts";
import type { TargetHost } from "../../targets/index.ts";
import { closeAfter } from "../lanes/close-after.ts";
import type { Lanes, LanesInput } from "../lanes/open-lanes.ts";
import { declaredAt, whereOfStack } from "../prepare/declared-at.ts";
import type { ExploreInput } from "../prepare/explore-request.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";
import { resultSoFar } from "../results/result-so-far.ts";
import { withEarlier } from "../results/earlier-findings.ts";
import { slowTargetNotes } from "../results/slow-target-notes.ts";
import { shardOf, shardSettings } from "../shards/shard.ts";
import { bringUpLanes } from "./at-root.ts";
import { EndedTargets } from "./ended-targets.ts";
import type { Exploration, ExplorationLanes, PlannedExploration } from "./exploration.ts";
import { violationPolicy } from "./violation-policy.ts";

/**
 * The default `max_depth` if seqqa sees no part of the target's state. In this case each write counts as a new state, so the search would not end.
 */
const BLIND_DEPTH = 4;
/** Nodes that are cross-checked: the first 20 nodes of a run, and one in 200 of the later nodes. */
const CROSS_CHECK = { first: 20, oneIn: 200 } as const;

/** Resolves the settings of an exploration. @throws SeqqaError if the exploration cannot be divided into shards, but a shard was requested */
export function planExploration(input: ExploreInput): PlannedExploration {
  const begunMs = performance.now() - (input.keep?.before?.durationMs ?? 0);
  const { config, definition, name } = input;
  const shard = input.shard === undefined ? undefined : shardOf(input.shard);
  return { input, begunMs, shard, settings: shardSettings(resolveExploration(config, definition), shard, name, definition) };
}

export function lanesInput({ input, settings }: PlannedExploration): LanesInput {
  const { config, definition, module, directory, signal, keep } = input;
  return {
    config,
    definition,
    module,
    directory,
    signal,
    spares: true,
    coverage: input.coverageFolder,
    output: { folder: config.report.outputDir, hide: redactor(config.report.redact).body },
    settings: {
      literals: module?.literals,
      dataSeed: settings.seed,
      shapes: STRATEGIES[settings.strategy].needsShapes,
      gated:
        (settings.races.mode === "pairs" || input.definition.ruleRaces.length > 0) && ["auto", "gated"].includes(settings.races.delivery),
      faulty: settings.faults.mode === "on",
      probes: { races: settings.races, faults: settings.faults },
      earlierClocksMs: keep?.before?.beginning.clocksMs,
      operations: input.operations,
    },
  };
}

/** Calls `work` with the lanes of this process and, in a distributed run, with the lanes of the workers. */
export async function withWorkers<T>(
  { input }: PlannedExploration,
  home: Lanes,
  work: (lanes: ExplorationLanes) => Promise<T>,
): Promise<T> {
  const { distributed, module, definition, name } = input;
  if (distributed === undefined) return work({ home, cluster: undefined, lanePool: home.lanePool });
  const cluster = distributed.by.lanePool({
    name,
    entry: distributed.entry,
    code: module!.hash,
    actions: definition.actions.length,
    lanes: home.options,
    home: home.lanePool,
    origins: home.host.origins,
  });
  return closeAfter(
    () => work({ home, cluster, lanePool: cluster }),
    () => cluster.close(),
  );
}

/** Brings all lanes to the root state, and prepares the search. @throws SeqqaError, or the reason of the abort if the run was aborted */
export async function bringUp(plan: PlannedExploration, lanes: ExplorationLanes): Promise<Exploration> {
  const { input, settings, shard } = plan;
  const { definition, name, onEvent } = input;
  const maxTimeMs = (settings.maxTime ?? Infinity) * 1000;
  const brought = await bringUpLanes(lanes.lanePool, input, maxTimeMs);
  const root = brought.reports[0]!;
  const policy = violationPolicy(definition, settings.continueAfterViolation);
  onEvent({
    kind: "started",
    name,
    lanes: lanes.lanePool.lanes,
    notes: [...brought.notes, ...rootNote(root, policy)],
    actions: definition.actions.map((one) => one.name),
  });
  const ended = new EndedTargets();
  const options: ExplorerOptions = {
    ...settings,
    name,
    actions: definition.actions.map((action) => action.name),
    ownActions: definition.ownActions,
    maxDepth: settings.maxDepth ?? (root.visibility === "nothing" ? BLIND_DEPTH : Infinity),
    maxTimeMs,
    violationPolicy: policy,
    isKnown: (found) => input.known?.has(findingId(name, found)) === true,
    // Write snapshots to restore states only if every store supports this.
    direct: brought.reports.every(({ portable }) => portable),
    crossCheck: CROSS_CHECK,
    saidChains: new Set(),
    shard,
    signal: input.signal,
    onEvent: (event) => {
      ended.see(event);
      onEvent(event);
    },
  };
  const shown = shownUrls(input.config, lanes.home.host);
  return { ...plan, lanes, brought, options, ended, shown, soFar: resultsSoFar(plan, options, brought.notes, shown) };
}

/** Returns a note if the root state already breaks rules. The note is shown before the search, because later findings may have the same cause. */
function rootNote({ findings }: LaneReport, policy: ViolationPolicy | undefined): readonly string[] {
  if (findings.length === 0) return [];
  const broken = `The root state breaks ${findings.map(({ invariant }) => invariant).join(", ")}`;
  if (policy !== undefined && new BrokenRules(policy).passes(findings)) return [`${broken}. Correct \`setup\` or the rule.`];
  return [`${broken}, so seqqa explores no further states. Correct \`setup\` or the rule.`];
}

function resultsSoFar(
  { input: { definition, operations, keep }, begunMs }: PlannedExploration,
  { name, actions, seed, strategy }: ExplorerOptions,
  notes: readonly string[],
  shown: () => ShownUrls,
): (explorer: Explorer) => ExplorationResult {
  const declared = declaredAt(definition);
  const invariants = definition.invariants.map((invariant) => invariant.name);
  return (explorer) => {
    const result = resultSoFar({
      name,
      actions,
      invariants,
      seed,
      strategy,
      explorer,
      operations: operations?.operations,
      notes: [...notes, ...explorer.chains.notes, ...slowTargetNotes(explorer), ...[...explorer.rejectedCookies].toSorted()],
      durationMs: performance.now() - begunMs,
      urls: shown(),
      mapStack,
      whereOf: whereOfStack,
      declaredAt: declared,
    });
    return withEarlier(result, keep?.before);
  };
}

function shownUrls(config: Config, { origins }: TargetHost): () => ShownUrls {
  let known = -1;
  let urls: ShownUrls;
  return () => {
    if (origins.size !== known) urls = new ShownUrls(config.baseUrl, origins);
    known = origins.size;
    return urls;
  };
}
