import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutPasswords, type Config } from "../../config/index.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import {
  redactFailure,
  redactor,
  runDocument,
  statusOfResult,
  type Redactor,
  type ReportedFailure,
  type RunDocument,
} from "../../reports/index.ts";
import { packageVersion } from "../../reports/document/package-version.ts";
import { shownPath } from "../../reports/console/shown-path.ts";
import { newRunId, readStoredRun, refuseWritten, runIds, RunLog, type ExplorationKeeper, type StoredRun } from "../../run-log/index.ts";
import { changesOfRun, compareExploration, refuseBeyond, refuseChanged, refuseMerged } from "./check-resumable.ts";
import { withProblemsOf } from "../prepare/explore-with-services.ts";
import type { ExploreOptions } from "../prepare/options.ts";
import { shardOf } from "../shards/shard.ts";

export interface StoredProgressInput {
  readonly config: Config;
  readonly definition: AgentDefinition<never, never>;
  readonly name: string;
  /** SHA-256 of the agent's bundled code. */
  readonly code: string;
  readonly options: Pick<ExploreOptions, "module" | "resume" | "force" | "shard">;
}

/**
 * Returns the run to resume; `undefined`: a new run is started. Sends and writes nothing.
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

/** The run log of an exploration that is started from code and is a run of its own. */
export class StoredProgress {
  readonly keep: ExplorationKeeper;
  readonly #input: StoredProgressInput;
  readonly #hide: Redactor;
  readonly #store: RunLog;
  readonly #id: string;
  readonly #startedAt: Date;

  /** `stored`: the run to resume. @throws SeqqaError `RUN_GOES_ON`, `CANNOT_KEEP` with exit status 2 */
  constructor(input: StoredProgressInput, stored: StoredRun | undefined) {
    this.#input = input;
    const { config, options } = input;
    this.#hide = redactor(config.report.redact);
    this.#startedAt = stored?.startedAt ?? new Date();
    this.#id = stored?.id ?? newRunId(this.#startedAt);
    try {
      // If the process ends before the run does, the run counts as interrupted.
      this.#store = new RunLog(config, this.#document(130), this.#hide, stored !== undefined);
    } catch (cause) {
      if (cause instanceof SeqqaError) throw cause;
      throw cannotKeep(config, cause, 2);
    }
    const [exploration] = stored?.explorations ?? [];
    this.keep =
      exploration?.beginning === undefined
        ? this.#store.exploration(fileOf(options.module!))
        : this.#store.explorationAgain(exploration, exploration.beginning);
  }

  /**
   * Returns the result when it is stored; a failure to store it is added to the result. @throws errors of the exploration; the stored part can be
   * resumed
   */
  async until(exploring: Promise<ExplorationResult>): Promise<ExplorationResult> {
    const { name, config, options } = this.#input;
    let result: ExplorationResult;
    try {
      result = await exploring;
    } catch (error) {
      this.keep.failed();
      const failure = failureOf(error, fileOf(options.module!));
      this.#store.failure(redactFailure(failure, config.report, this.#hide));
      this.#end(error instanceof SeqqaError ? error.exitStatus : 3);
      throw error;
    }
    this.keep.ended(name, result);
    const problem = this.#end(statusOfResult(result, config.failOnSeverity));
    return withProblemsOf(result, problem === undefined ? [] : [problem]);
  }

  #end(exitStatus: number): SeqqaError | undefined {
    try {
      this.#store.end(this.#document(exitStatus));
      return undefined;
    } catch (cause) {
      return cannotKeep(this.#input.config, cause, 3);
    }
  }

  /** Returns the document of the run, without the parts for which the run log has tables. */
  #document(exitStatus: number): RunDocument {
    const { config } = this.#input;
    const none = { explorations: [], journeys: [], failures: [] };
    const { failOnSeverity } = config;
    return runDocument(
      { version: packageVersion(), run: this.#id, startedAt: this.#startedAt, failOnSeverity, exitStatus, ...none },
      config.report,
    );
  }
}

function cannotKeep({ report }: Config, cause: unknown, exitStatus: 2 | 3): SeqqaError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SeqqaError("CANNOT_KEEP", `The run cannot be kept in ${report.outputDir}: ${why}.`, {
    exitStatus,
    hint: "Name another folder in report.output_dir, or leave resume out.",
    cause,
  });
}

function failureOf(error: unknown, file: string): ReportedFailure {
  const { code = "INTERNAL", hint } = error instanceof SeqqaError ? error : {};
  const message = withoutPasswords(error instanceof Error ? error.message : String(error));
  return { file, code, message, hint: hint === undefined ? undefined : withoutPasswords(hint) };
}

/** Returns the module's path as the command line shows it in the current folder. */
function fileOf(module: string): string {
  return shownPath(module.startsWith("file:") ? fileURLToPath(module) : resolve(module), process.cwd());
}

const isOf = ({ hasJourneys, explorations }: StoredRun, file: string): boolean =>
  !hasJourneys && explorations.length === 1 && explorations[0]!.file === file;

function named({ report }: Config, id: string, file: string): StoredRun {
  const stored = readStoredRun(report.outputDir, id);
  if (isOf(stored, file)) return stored;
  const others = stored.explorations.map((one) => one.file).filter((one) => one !== file);
  const what = stored.hasJourneys ? "is one of journeys" : others.length > 0 ? `is one of ${others.join(", ")}` : "has no exploration";
  throw new SeqqaError("RESUME_OTHER", `Run ${id} ${what}; explore() goes on with a run of ${file} alone.`, {
    exitStatus: 2,
    hint: "Go on with it by seqqa run --resume, or leave its id out.",
  });
}

/** Returns the last run of this exploration. A run that cannot be read is skipped. */
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
