import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer } from "../../engine/search/explorer.ts";
import { CRASHED } from "../../messages/lane-messages.ts";
import { mapStack } from "../../loader/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ActionCoverage, ExplorationResult, RunError } from "../../model/results/result.ts";
import type { Stage } from "../../run-log/index.ts";
import { declaredAt, whereOfStack } from "../prepare/declared-at.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";
import { hasEndedEarly, withExemptions } from "../results/idle-actions.ts";
import { inconclusiveNotes } from "../results/inconclusive-notes.ts";
import { withoutLate } from "../results/late-findings.ts";
import { neverOccurredNotes } from "../results/never-occurred.ts";
import { buildResult } from "../results/result-builder.ts";
import { stubNotes } from "../results/stub-notes.ts";
import { slowTargetNotes } from "../results/slow-target-notes.ts";
import { inconclusiveRules } from "../results/unchecked-steps.ts";
import { withEarlier } from "../results/earlier-findings.ts";
import { violatingStates } from "../results/verdict-exceptions.ts";
import { stoppedActions, wasteNotes } from "../results/waste.ts";
import { onlyRedirected, withoutSubject } from "../results/without-subject.ts";
import { shardNote } from "../shards/shard.ts";
import type { Exploration } from "./exploration.ts";
import { findFaults, NO_FAULTS, type FoundFaults } from "./faults.ts";
import { findRaces, NO_RACES, type FoundRaces } from "./races.ts";
import { notRacedNote, unjudgedRules, unprobedRules, unreachedRules } from "./unreached-rules.ts";
import { actionsOfRules } from "./violation-policy.ts";
import type { Searched } from "./search.ts";
import { flakyNote, notReplayedNote, shortestViolations, shrinkingCutNote } from "./shrinking.ts";
import { neededNote, restoredNote } from "./learn/lesson-note.ts";
import { differingFields, type Knowledge } from "../../state/index.ts";

/** Minimum number of steps before a note may say that nearly every step leads to a new state. */
const FEWEST_STEPS = 200;
/** A note is given if more than this share of the steps that changed the state led to a new state. */
const SUSPICIOUS = 0.95;

const BEHIND_NOTE = "seqqa did not explore from states that break a rule. To explore from them, add --continue-after-violation.";

/**
 * Runs the stages after the search: probes for races, makes writes fail, confirms findings and shortens their paths, closes the lanes, and builds the
 * result. These stages use lanes of this process, also in a distributed run.
 */
export async function conclude(exploration: Exploration, searched: Searched): Promise<ExplorationResult> {
  const { input, options, lanes, brought, begunMs } = exploration;
  const { definition, onEvent, config, signal } = input;
  const { explorer, knowledge, refuted, seen, report, restarted } = searched;
  const { lanePool, host } = lanes.home;
  if (explorer.stopReason === "max_time" || explorer.stopReason === "interrupted") host.endStandby();
  await lanes.cluster?.dismiss();
  input.keep?.flush(explorer.committer, () => exploration.soFar(explorer));
  const { races, errors } = await probedRaces(exploration, explorer);
  const { faults, errors: faultErrors } = await madeFaults(exploration, explorer);
  input.keep?.carriedOut(carriedOut(exploration, races, faults));
  const violations = await shortestViolations(explorer, options, lanePool, withoutLate(explorer, seen));
  const coverage = withExemptions(explorer.committer.coverage(), definition, config.exploration.requireAllActions);
  const idle = withoutSubject(definition, coverage, onlyRedirected(explorer.committer, options.actions));
  // A shard, and a run that was ended early, see only a part of the steps.
  const isWhole = options.shard === undefined && !hasEndedEarly(explorer.stopReason);
  const unreached = unreachedRules(definition, races, options.actions);
  const broken = new Set(violations.map(({ found }) => found.finding.invariant));
  const unprobed = unprobedRules(definition, races, new Set([...broken, ...unreached.keys()]));
  const notes = [
    ...(restarted === undefined ? [] : [restarted]),
    ...(await notesOf(exploration, explorer, { violations, coverage, knowledge, report })),
    ...(isWhole ? idle.values() : []),
    ...unprobed.values(),
  ];
  await closeLanes(lanePool, explorer);
  // Report the exploration as interrupted even if the search was complete, because later stages are missing from the result.
  if (signal?.aborted === true) explorer.stopReason = "interrupted";
  const built = buildResult({
    name: input.name,
    actions: options.actions,
    invariants: definition.invariants.map(({ name }) => name),
    unjudgedRules: unjudgedRules(definition, brought.reports[0]!, [
      ...idle.keys(),
      ...unreached.keys(),
      ...unprobed.keys(),
      // The merged run counts the steps of all shards.
      ...(options.shard === undefined ? inconclusiveRules(explorer.committer) : []),
    ]),
    subjects: definition.subjects,
    ruleActions: actionsOfRules(definition),
    requireAllActions: config.exploration.requireAllActions,
    unreached: [...unreached.values()],
    seed: options.seed,
    strategy: options.strategy,
    graph: definition.graph,
    explorer,
    violations,
    races,
    known: input.known,
    faults,
    ruleRaces: definition.ruleRaces,
    notes,
    coverage,
    operations: input.operations?.operations,
    isShard: options.shard !== undefined,
    knowledge,
    refuted,
    visibility: report.visibility,
    setup: brought.reports[0]!.setup,
    leftOut: report.leftOut,
    durationMs: performance.now() - begunMs,
    urls: new ShownUrls(config.baseUrl, host.origins),
    mapStack,
    whereOf: whereOfStack,
    declaredAt: declaredAt(definition),
    extraErrors: [...(explorer.fatal === undefined ? [] : [fatalError(explorer.fatal)]), ...errors, ...faultErrors],
  });
  const result = withEarlier(built, input.keep?.before);
  onEvent({ kind: "finished", result });
  return result;
}

/**
 * Returns the stages (races, faults) that were switched on and have a result. An error, an interruption or a first violation may have prevented a
 * stage.
 */
function carriedOut({ settings }: Exploration, races: FoundRaces, faults: FoundFaults): readonly Stage[] {
  return [
    ...(settings.races.mode !== "off" && races.coverage !== undefined ? (["races"] as const) : []),
    ...(settings.faults.mode !== "off" && faults.coverage !== undefined ? (["faults"] as const) : []),
  ];
}

async function probedRaces(
  { input, options, settings, lanes, brought }: Exploration,
  explorer: Explorer,
): Promise<{ readonly races: FoundRaces; readonly errors: readonly RunError[] }> {
  try {
    // Probe the pairs of calls that rules require only if races are possible in this world. If `races` is on and races are impossible, the run was
    // refused at its start.
    const only = brought.reports[0]!.raceObstacle === undefined ? input.definition.ruleRaces : [];
    return { races: await findRaces(explorer, options, lanes.home.lanePool, { ...settings.races, only }), errors: [] };
  } catch (error) {
    return { races: NO_RACES, errors: input.signal?.aborted === true ? [] : [fatalError(error)] };
  }
}

/** Makes writes of calls fail. An error in this stage is added to the result and does not end the exploration. */
async function madeFaults(
  { input, options, settings, lanes }: Exploration,
  explorer: Explorer,
): Promise<{ readonly faults: FoundFaults; readonly errors: readonly RunError[] }> {
  try {
    return { faults: await findFaults(explorer, options, lanes.home.lanePool, settings.faults), errors: [] };
  } catch (error) {
    return { faults: NO_FAULTS, errors: input.signal?.aborted === true ? [] : [fatalError(error)] };
  }
}

interface Found {
  readonly violations: Awaited<ReturnType<typeof shortestViolations>>;
  readonly coverage: Readonly<Record<string, ActionCoverage>>;
  readonly knowledge: Knowledge;
  readonly report: Searched["report"];
}

async function notesOf(
  { input, options, lanes, brought, ended }: Exploration,
  explorer: Explorer,
  { violations, coverage, knowledge, report }: Found,
): Promise<readonly string[]> {
  const isInterrupted = (): boolean => input.signal?.aborted === true;
  const notes = [...brought.notes];
  if (options.shard !== undefined && explorer.cut !== undefined) notes.push(shardNote(options.shard, explorer.cut));
  // The notes report chains of new states that seem to be endless. If the search explored every state, all chains have ended, so leave the notes out.
  if (explorer.stopReason !== "exhausted") notes.push(...explorer.chains.notes, ...spentNotes(explorer, knowledge));
  notes.push(
    ...slowTargetNotes(explorer),
    ...[...explorer.rejectedCookies].toSorted(),
    ...(await freshStateNotes(explorer, lanes.home.lanePool)),
  );
  const { keptMemory } = lanes.home.lanePool;
  if (keptMemory !== undefined)
    notes.push(
      `seqqa could not start new targets with empty memory, because target.module threw an error when seqqa loaded it a second time (${keptMemory}). ` +
        "Even confirmed findings may depend on this memory. Run with --parallel 2, so that each new target gets a thread of its own.",
    );
  // Skip these notes for a resumed run or a shard. Such a run has not seen all context keys and stub calls, so the notes could be false.
  if (options.shard === undefined && input.keep?.before === undefined) notes.push(...neverOccurredNotes(explorer), ...stubNotes(explorer));
  if (input.operations !== undefined && explorer.earlier !== undefined && explorer.earlier.operations === undefined)
    notes.push("The coverage of OpenAPI operations is missing, because the first part of this resumed run did not measure it.");
  const left = notReplayedNote(violations);
  if (left !== undefined) notes.push(left);
  const flaky = flakyNote(violations, report);
  if (flaky !== undefined) notes.push(flaky);
  if (!isInterrupted()) notes.push(...ended.notes(violations.some(({ found }) => found.finding.invariant === CRASHED)));
  notes.push(...notRacedNote(input.definition, brought.reports[0]!));
  const stopped = stoppedActions(
    input.definition.actions.map(({ name }) => name),
    explorer.committer.edges,
    violations.map(({ found }) => found),
  );
  notes.push(...wasteNotes(input.definition, coverage, stopped), ...inconclusiveNotes(explorer.committer, options.actions));
  if (violatingStates(explorer.committer) > 0) notes.push(BEHIND_NOTE);
  const asFound = violations.filter(({ minimality }) => minimality === "as_found").length;
  if (asFound > 0 && !isInterrupted()) notes.push(shrinkingCutNote(asFound));
  return notes;
}

/** Closes the lanes. The result is built afterwards, because closing may report a store that could not be restored. */
async function closeLanes(lanePool: LanePool, explorer: Explorer): Promise<void> {
  try {
    await lanePool.close();
  } catch (error) {
    explorer.divergences.add({
      kind: "not_put_back",
      path: [],
      message: `seqqa could not restore a store after the run: ${error instanceof Error ? error.message : String(error)}`,
      differences: [],
      hint: error instanceof SeqqaError ? error.hint : undefined,
    });
  }
}

/** Returns a note for each counter that makes the search endless and that the stores restore. */
function spentNotes({ spent, endlessCounter }: Explorer, { needed = [] }: Knowledge): readonly string[] {
  return [...spent]
    .filter((one) => one !== endlessCounter)
    .map((one) => (needed.includes(one.counter) ? neededNote(one) : restoredNote(one)));
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

/** Returns a note if nearly every step that changed the state led to a new state. The note names the fields that differ between such states. */
async function freshStateNotes(explorer: Explorer, lanePool: LanePool): Promise<readonly string[]> {
  const { committer, stopReason, limit } = explorer;
  const { nodes, edges } = committer;
  if (stopReason === "exhausted" || stopReason === "interrupted" || committer.steps < FEWEST_STEPS || limit.isOver) return [];
  let changing = 0;
  edges.each((from, _action, to) => {
    if (to >= 0 && to !== from) changing++;
  });
  const fresh = nodes.size - 1;
  if (changing < FEWEST_STEPS / 2 || fresh < changing * SUSPICIOUS) return [];
  const fields = await fieldsThatDiffer(nodes.path(nodes.size - 1), lanePool);
  const what = `Nearly every step that changed the state led to a new state (${fresh} of ${changing} steps).`;
  if (fields.length === 0)
    return [
      `${what} If equal states should occur again, look for a field whose value differs each time, and list this field under \`ignore\`.`,
    ];
  return [`${what} List these fields under \`ignore\`, because they differ between two executions of one path: ${fields.join(", ")}.`];
}

async function fieldsThatDiffer(path: readonly number[], lanePool: LanePool): Promise<readonly string[]> {
  try {
    await lanePool.rebuild(0);
    const first = await lanePool.record(0, path);
    const second = await lanePool.record(0, path);
    return differingFields(first.lines, second.lines);
  } catch {
    return [];
  }
}
