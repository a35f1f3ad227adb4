import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/index.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import { packageVersion } from "../../reports/document/package-version.ts";
import { shownPath } from "../../reports/console/text/shown-path.ts";
import { readStoredRun, refuseWritten, runIds, type ExplorationKeeper, type StoredRun } from "../../run-log/index.ts";
import { changesOfRun, compareExploration, refuseBeyond, refuseChanged, refuseMerged } from "./check-resumable.ts";
import { withProblemsOf } from "../prepare/explore-with-services.ts";
import type { ExploreOptions } from "../prepare/options.ts";
import { RunSession, type SessionInput } from "../session/run-session.ts";
import { shardOf } from "../shards/shard.ts";

export interface StoredProgressInput {
  readonly config: Config;
  readonly definition: AgentDefinition<never, never>;
  readonly name: string;
  /** SHA-256 of the agent's bundled code. */
  readonly code: string;
  readonly options: Pick<ExploreOptions, "module" | "resume" | "force" | "shard" | "signal">;
}

/**
 * Returns the run to resume; `undefined` to start a new run. Nothing is sent or written.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE`, `RESUME_OTHER`, `RUN_GOES_ON`, `RESUME_CHANGED`, `RESUME_BUDGET`, `RESUME_MISMATCH` with exit
 * status 2
 */
export function runToGoOn({ config, definition, code, options }: StoredProgressInput): StoredRun | undefined {
  const file = fileOf(options.module!);
  const shard = options.shard === undefined ? undefined : shardOf(options.shard);
  const stored = typeof options.resume === "string" ? named(config, options.resume, file) : lastOf(config, file, shard);
  const [exploration] = stored?.explorations ?? [];
  if (stored === undefined || exploration === undefined) return undefined;
  refuseWritten(stored.file);
  refuseMerged(stored);
  const compared = compareExploration(exploration, { definition, code, config, shard });
  const { changes, barred } = compared;
  refuseChanged(
    stored,
    { barred, changes: [...changesOfRun(stored, config, packageVersion()), ...changes] },
    options.force === true,
    "force: true",
  );
  refuseBeyond(stored, [{ ...compared, exploration, name: definition.name ?? exploration.name }]);
  return stored;
}

/**
 * Explores and stores the exploration in a run log. If storing fails, the failure is added to the result.
 * @param stored The run to resume.
 * @throws SeqqaError `RUN_GOES_ON` or `CANNOT_KEEP` with exit status 2, and errors of the exploration, whose stored part can be resumed
 */
export async function exploreKept(
  { config, name, options }: StoredProgressInput,
  stored: StoredRun | undefined,
  work: (keep: ExplorationKeeper | undefined) => Promise<ExplorationResult>,
): Promise<ExplorationResult> {
  const path = pathOf(options.module!);
  const problems: SeqqaError[] = [];
  const session = new RunSession({
    config,
    version: packageVersion(),
    signal: options.signal ?? new AbortController().signal,
    cwd: process.cwd(),
    reporter: SILENT,
    onError: (error) => {
      if (error instanceof SeqqaError) problems.push(error);
    },
    isKept: true,
    cannotWrite: (_path, cause, exitStatus) => cannotKeep(config, cause, exitStatus),
    resumed: stored === undefined ? undefined : { stored, kept: new Map(), failures: [] },
  });
  let result: ExplorationResult | undefined;
  try {
    result = await session.record(path, async (keep) => ({ name, result: await work(keep) }));
  } catch (error) {
    session.fail(error, path);
    await session.end(false);
    throw error;
  }
  await session.end(true);
  return withProblemsOf(result!, problems);
}

/** A reporter that does nothing, because listeners of `explore()` receive its events directly. */
const SILENT: SessionInput["reporter"] = {
  event: () => undefined,
  explored: () => undefined,
  step: () => undefined,
  journeyEnded: () => undefined,
  journeyDone: () => undefined,
  message: () => undefined,
};

function cannotKeep({ report }: Config, cause: unknown, exitStatus: 2 | 3): SeqqaError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SeqqaError("CANNOT_KEEP", `seqqa cannot store the run in the folder ${report.outputDir}: ${why}.`, {
    exitStatus,
    hint: "Choose another folder in report.output_dir, or call explore() without `resume`.",
    cause,
  });
}

const pathOf = (module: string): string => (module.startsWith("file:") ? fileURLToPath(module) : resolve(module));

/** Returns the module's path relative to the current folder, as the command line shows it. */
function fileOf(module: string): string {
  return shownPath(pathOf(module), process.cwd());
}

const isOf = ({ hasJourneys, explorations }: StoredRun, file: string): boolean =>
  !hasJourneys && explorations.length === 1 && explorations[0]!.file === file;

function named({ report }: Config, id: string, file: string): StoredRun {
  const stored = readStoredRun(report.outputDir, id);
  if (isOf(stored, file)) return stored;
  const others = stored.explorations.map((one) => one.file).filter((one) => one !== file);
  const what = stored.hasJourneys ? "executed journeys" : others.length > 0 ? `explored ${others.join(", ")}` : "explored nothing";
  throw new SeqqaError("RESUME_OTHER", `Run ${id} ${what}, but explore() can only resume a run that explored ${file}.`, {
    exitStatus: 2,
    hint: "Resume this run with seqqa run <directory> --resume <id>, or call explore() without its id.",
  });
}

/** Returns the most recent run of this exploration. Runs that cannot be read are skipped. */
function lastOf({ report }: Config, file: string, shard: Shard | undefined): StoredRun | undefined {
  for (const id of runIds(report.outputDir).toReversed()) {
    try {
      const stored = readStoredRun(report.outputDir, id);
      const { beginning } = stored.explorations[0] ?? {};
      const { index, of } = beginning?.shard ?? {};
      if (isOf(stored, file) && beginning !== undefined && index === shard?.index && of === shard?.of) return stored;
    } catch (error) {
      if (!(error instanceof SeqqaError)) throw error;
    }
  }
  return undefined;
}
