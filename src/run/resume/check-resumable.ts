import { resolveExploration, type Config, type ExplorationConfig } from "../../config/index.ts";
import { beyondBudget } from "../../engine/commit/recommit.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import { STRATEGIES, STRATEGY_KINDS } from "../../model/declare/search/strategy.ts";
import { SeqqaError } from "../../model/errors.ts";
import { alternatives } from "../../model/text/alternatives.ts";
import { refuseWritten, type Stage, type StoredExploration, type StoredRun } from "../../run-log/index.ts";
import { beyondInRecord, type RecordInput } from "./check-record.ts";
import { changedKeys } from "./changed-keys.ts";
import type { ExploreFileRequest } from "../prepare/explore-request.ts";
import { loadExploration, type LoadedExploration } from "../prepare/load-exploration.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { shardSettings, shardOf, shardText } from "../shards/shard.ts";

/** Names of the strategies that allow a different `max_depth` when a run is resumed, as text for messages. */
const SHORTEST_FIRST = alternatives(STRATEGY_KINDS.filter((kind) => STRATEGIES[kind].isShortestFirst));

/** The reason why the stored result of an exploration is kept: the exploration has no work left, or the option `only` leaves it out. */
export type KeptReason = "over" | "left_out";

/**
 * A request to resume a run. If `only` is set, only explorations whose name contains this text are checked against budgets. Violations in `known` do
 * not stop the run.
 */
export interface ResumableInput extends Pick<ExploreFileRequest, "config" | "shard" | "only" | "known"> {
  readonly stored: StoredRun;
  /** The version of seqqa that resumes the run. */
  readonly version: string;
  /** The files to explore: for each path as stored in the run log, the absolute path. */
  readonly files: ReadonlyMap<string, string>;
  /** `true` to resume even if configuration or code have changed. */
  readonly force: boolean;
}

/**
 * Checks that a run can be resumed, before anything is sent. Throws if stored outcomes cannot be read, or if outcomes could now be different. Reports
 * and the number of lanes may change. Budgets may change, but not below the stored run.
 * @returns the files whose stored results are kept, because their explorations are over, or because `only` leaves them out
 * @throws SeqqaError with exit status 2: `RUN_GOES_ON`, `RESUME_CHANGED`, `RESUME_BUDGET`, `RESUME_MISMATCH` or `RUN_UNREADABLE`; and errors of
 * loading the files
 */
export async function checkResumable(input: ResumableInput): Promise<ReadonlyMap<string, KeptReason>> {
  const { stored, config, version, files, force, only = "", known } = input;
  const shard = input.shard === undefined ? undefined : shardOf(input.shard);
  const kept = new Map<string, KeptReason>();
  const changes = changesOfRun(stored, config, version);
  const barred: string[] = [];
  const missing: string[] = [];
  const goingOn: (RecordInput & Pick<ComparedExploration, "beyond">)[] = [];
  refuseWritten(stored.file);
  refuseMerged(stored);
  await withRunDirectory(async (directory) => {
    for (const exploration of stored.explorations) {
      const path = files.get(exploration.file);
      if (path === undefined) {
        missing.push(`the exploration file ${exploration.file} does not exist or is not in the directory to run`);
        continue;
      }
      const { definition, module } = await loadExploration(path, directory);
      const compared = compareExploration(exploration, { definition, code: module.hash, config, shard, known });
      changes.push(...compared.changes);
      barred.push(...compared.barred);
      const name = definition.name ?? exploration.name;
      if (compared.isOver) kept.set(exploration.file, "over");
      else if (name.includes(only)) goingOn.push({ ...compared, exploration, name, known });
      else kept.set(exploration.file, "left_out");
    }
  });
  if (missing.length > 0)
    throw changed(stored.id, missing, "Restore the file, give the directory that contains it, or begin a new run without --resume.");
  refuseChanged(stored, { barred, changes }, force, "--force");
  refuseBeyond(stored, goingOn);
  return kept;
}

/**
 * Refuses to resume a merged run, because its result does not contain how far each shard was explored.
 * @throws SeqqaError `RESUME_MERGED` with exit status 2
 */
export function refuseMerged({ id, explorations }: Pick<StoredRun, "id" | "explorations">): void {
  if (explorations.every(({ beginning }) => beginning !== undefined)) return;
  throw new SeqqaError("RESUME_MERGED", `Run ${id} cannot be resumed, because seqqa merge made it from shards.`, {
    exitStatus: 2,
    hint: "Resume the run of each shard (seqqa run <directory> --shard <i/n> --resume), and join them with seqqa merge again.",
  });
}

/** Returns texts about changes of the version, the configuration and the environment that may affect outcomes. */
export function changesOfRun(stored: Pick<StoredRun, "seqqa" | "config" | "environment">, config: Config, version: string): string[] {
  return [...(stored.seqqa === version ? [] : [`seqqa (${stored.seqqa}, now ${version})`]), ...changedKeys(stored, config)];
}

export interface ExplorationNow {
  readonly definition: LoadedExploration["definition"];
  /** SHA-256 of the bundled code. */
  readonly code: string;
  readonly config: Config;
  readonly shard: Shard | undefined;
  /** Ids of known violations. If an exploration ended at a violation that is now known, the exploration has work left. Default: none. */
  readonly known?: ReadonlySet<string> | undefined;
}

export interface ComparedExploration {
  /** Texts about changes that may affect outcomes. The option `force` allows resuming in spite of these changes. */
  readonly changes: readonly string[];
  /** Texts about changes that make resuming impossible, even with the option `force`. */
  readonly barred: readonly string[];
  /** Texts about current limits that the stored exploration already exceeds, according to its summary. */
  readonly beyond: readonly string[];
  /** The current settings, including budgets. */
  readonly budget: ExplorationConfig;
  /** `true` if the exploration has no work left. */
  readonly isOver: boolean;
}

export function compareExploration(
  exploration: StoredExploration,
  { definition, code, config, shard, known }: ExplorationNow,
): ComparedExploration {
  const { name, file, beginning } = exploration;
  const budget = shardSettings(resolveExploration(config, definition), shard, name, definition);
  const [was, is] = [beginning?.shard ?? undefined, shard].map((one) => (one === undefined ? "none" : shardText(one)));
  const isSame = beginning === undefined || beginning.code === code;
  return {
    changes: isSame ? [] : [`the code of ${file} (${beginning.code.slice(0, 8)}, now ${code.slice(0, 8)})`],
    barred: [...(was === is ? [] : [`the shard of ${file} (${was}, now ${is})`]), ...otherOrder(exploration, definition, budget)],
    beyond: beyondNow(exploration, budget),
    budget,
    isOver: isOver(exploration, budget, known),
  };
}

/**
 * Throws if there are changes since the run started.
 * @param how The option with which the run can be resumed in spite of the changes.
 * @throws SeqqaError `RESUME_CHANGED` with exit status 2
 */
export function refuseChanged(
  { id }: Pick<StoredRun, "id">,
  { barred, changes }: Pick<ComparedExploration, "barred" | "changes">,
  force: boolean,
  how: string,
): void {
  if (barred.length > 0) throw changed(id, [...barred, ...changes], "Begin a new run without --resume.");
  if (changes.length > 0 && !force) {
    throw changed(id, changes, `Undo these changes, begin a new run without --resume, or resume nevertheless with ${how}.`);
  }
}

/**
 * Throws if a stored exploration already exceeds the current budget. All stored commits are read, so that nothing is started for a run that cannot be
 * resumed.
 * @throws SeqqaError `RESUME_BUDGET` with exit status 2 if the budget is exceeded; `RESUME_MISMATCH` or `RUN_UNREADABLE` if a run log is damaged
 */
export function refuseBeyond(
  stored: Pick<StoredRun, "id" | "file">,
  goingOn: readonly (RecordInput & Pick<ComparedExploration, "beyond">)[],
): void {
  const glance = goingOn.flatMap(({ beyond }) => beyond);
  const beyond = glance.length > 0 ? glance : goingOn.flatMap((one) => beyondInRecord(stored, one));
  if (beyond.length > 0) throw beyondBudget(`Run ${stored.id} has already exceeded the limits of the configuration: ${beyond.join("; ")}.`);
}

function beyondNow({ file, steps, depth }: StoredExploration, { maxSteps, maxDepth = Infinity }: ExplorationConfig): readonly string[] {
  return [
    ...(steps > maxSteps ? [`${file} has ${steps} steps (max_steps ${maxSteps})`] : []),
    ...(depth > maxDepth ? [`${file} has states at depth ${depth} (max_depth ${maxDepth})`] : []),
  ];
}

/**
 * Returns texts about changed settings that influence the order of steps. With such a change, the stored steps could not be recommitted in the same
 * order.
 */
function otherOrder(
  { file, actions, strategy, seed, beginning }: StoredExploration,
  definition: LoadedExploration["definition"],
  { strategy: strategyNow, seed: seedNow, maxDepth }: ExplorationConfig,
): readonly string[] {
  const found: string[] = [];
  const names = definition.actions.map(({ name }) => name);
  const added = names.filter((name) => !actions.includes(name)).map((name) => `${name} is new`);
  const removed = actions.filter((name) => !names.includes(name)).map((name) => `${name} was removed`);
  const which = added.length + removed.length > 0 ? [...added, ...removed].join(", ") : "their order";
  if (names.length !== actions.length || names.some((name, index) => name !== actions[index])) {
    found.push(`the actions of ${file} (${which})`);
  }
  if (strategy !== strategyNow) found.push(`exploration.strategy of ${file} (${strategy}, now ${strategyNow})`);
  if (seed !== seedNow) found.push(`exploration.seed of ${file} (${seed}, now ${seedNow})`);
  const depth = beginning === undefined ? (maxDepth ?? null) : beginning.maxDepth;
  // Allow a changed depth limit only for a breadth-first search, which reaches new depths last. Other strategies would have reached the new depths
  // earlier.
  if (depth !== (maxDepth ?? null) && !STRATEGIES[strategyNow].isShortestFirst) {
    found.push(
      `exploration.max_depth of ${file} (${depth ?? "none"}, now ${maxDepth ?? "none"}; it may only change with ${SHORTEST_FIRST})`,
    );
  }
  return found;
}

function isOver(
  { outcome, stopReason, steps, isCut, findingIds, beginning }: StoredExploration,
  budget: ExplorationConfig,
  known: ReadonlySet<string> = new Set(),
): boolean {
  if (outcome !== "ended" || isCut) return false;
  // After a first violation, races and faults are not tried, so these stages need not be complete.
  if (stopReason === "first_violation") return budget.stopOnFirstViolation && !findingIds.every((id) => known.has(id));
  if (lacksStage(beginning?.stages ?? [], budget)) return false;
  switch (stopReason) {
    case "exhausted":
      return true;
    case "max_steps":
      return budget.maxSteps <= steps;
    case "max_depth":
      return beginning === undefined || beginning.maxDepth === (budget.maxDepth ?? null);
    default:
      return false;
  }
}

/**
 * Returns `true` if races or faults are switched on, but the exploration did not carry out this stage. `stages` are the stages of this exploration,
 * because other explorations of the run may have carried out more.
 */
function lacksStage(stages: readonly Stage[], { races, faults }: ExplorationConfig): boolean {
  return (races.mode !== "off" && !stages.includes("races")) || (faults.mode !== "off" && !stages.includes("faults"));
}

function changed(run: string, what: readonly string[], hint: string): SeqqaError {
  return new SeqqaError(
    "RESUME_CHANGED",
    `Run ${run} cannot be resumed, because the following has changed since then: ${what.join("; ")}.`,
    {
      exitStatus: 2,
      hint,
    },
  );
}
