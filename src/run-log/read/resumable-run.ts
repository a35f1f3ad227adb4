import type { Database } from "better-sqlite3";
import type { Outcome } from "../rows/entry-rows.ts";
import type { EnvironmentRow } from "../rows/environment-rows.ts";
import { runHeaderOf, type RunHeader } from "../rows/run-header.ts";
import { readStore } from "./open-run.ts";
import { findRun } from "./runs.ts";

/** The stored data of a run that is needed to decide if the run can be resumed. */
export interface StoredRun {
  readonly id: string;
  readonly file: string;
  /** The version of seqqa that started the run. */
  readonly seqqa: string;
  readonly startedAt: Date;
  /** For each configuration key, the value as JSON, and where the value was set. */
  readonly config: ReadonlyMap<string, { readonly value: string; readonly source: string }>;
  readonly environment: readonly EnvironmentRow[];
  /** The explorations in the order of their start. */
  readonly explorations: readonly StoredExploration[];
  readonly hasJourneys: boolean;
  /** Sentences that say why newer runs could not be read and were skipped. */
  readonly skipped: readonly string[];
}

export interface StoredExploration {
  readonly id: number;
  readonly name: string;
  /** The path of the exploration file, relative to the folder in which the command was started. */
  readonly file: string;
  readonly outcome: Outcome;
  readonly strategy: string;
  readonly seed: number;
  readonly stopReason: string;
  readonly steps: number;
  readonly states: number;
  /** The depth of the deepest state that the exploration reached. */
  readonly depth: number;
  /** `true` if work after the search was left out: findings were not replayed, or races, faults or audits had no time. */
  readonly isCut: boolean;
  /** The ids of all violations, including those of other actions with the same cause. */
  readonly findingIds: readonly string[];
  readonly actions: readonly string[];
  /** The run header; `undefined` if no commits were stored. */
  readonly beginning: RunHeader | undefined;
}

/** Reads the data for resuming from the given run, or else the last run. @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2 */
export function readStoredRun(outputDir: string, id: string | undefined): StoredRun {
  const { read: stored, skipped } = findRun(outputDir, id, (file) => readStore(file, (db) => storedRunOf(db, file)));
  return { ...stored, skipped };
}

export function storedRunOf(db: Database, file: string): StoredRun {
  const run = db.prepare("SELECT id, seqqa, started_at FROM run").get() as { id: string; seqqa: string; started_at: string };
  const config = db.prepare("SELECT key, value, source FROM config").all() as readonly { key: string; value: string; source: string }[];
  const environment = db.prepare("SELECT key, salt, hash FROM environment").all() as readonly EnvironmentRow[];
  const journeys = db.prepare("SELECT count(*) FROM journeys").pluck().get() as number;
  return {
    id: run.id,
    file,
    seqqa: run.seqqa,
    startedAt: new Date(run.started_at),
    config: new Map(config.map(({ key, value, source }) => [key, { value, source }])),
    environment,
    explorations: storedExplorations(db),
    hasJourneys: journeys > 0,
    skipped: [],
  };
}

interface Row extends Omit<StoredExploration, "actions" | "findingIds" | "beginning" | "stopReason" | "isCut"> {
  readonly cut: 0 | 1;
  readonly stop_reason: string;
  readonly code: string | null;
  readonly document: string | null;
}

/** An SQL expression for the JSON in a column, or an empty object if a damaged file has another text there. */
const jsonOf = (column: string): string => `iif(json_valid(${column}), ${column}, '{}')`;

/** An SQL expression that is 1 if work after the search of exploration `e` was left out. */
const CUT: string = `(
  EXISTS (SELECT 1 FROM findings f WHERE f.exploration = e.id AND json_extract(${jsonOf("f.document")}, '$.notReplayed'))
  OR EXISTS (
    SELECT 1 FROM json_each(${jsonOf("e.document")}, '$.verdict.exceptions')
    WHERE type = 'object' AND json_extract(value, '$.kind') = 'unaudited_reduction'
  )
  OR coalesce(${["raceCoverage.skipped", "raceCoverage.dismissed", "faultCoverage.skipped", "faultCoverage.skippedPoints"]
    .map((place) => `json_extract(${jsonOf("e.document")}, '$.${place}.max_time')`)
    .join(", ")}) IS NOT NULL
)`;

function storedExplorations(db: Database): readonly StoredExploration[] {
  const rows = db
    .prepare(
      `SELECT e.id, e.name, e.file, e.outcome, e.strategy, e.seed, e.stop_reason, e.steps, e.states, e.max_depth AS depth, b.code, b.document,
         ${CUT} AS cut
       FROM explorations e LEFT JOIN beginnings b ON b.exploration = e.id ORDER BY e.id`,
    )
    .all() as readonly Row[];
  const actions = db.prepare("SELECT name FROM actions WHERE exploration = ? ORDER BY id").pluck();
  const findingIds = db
    .prepare(
      `SELECT coalesce(iif(o.type = 'object', json_extract(o.value, '$.id'), NULL), f.id)
       FROM findings f LEFT JOIN json_each(${jsonOf("f.document")}, '$.operations') o WHERE f.exploration = ? ORDER BY f.position, o.key`,
    )
    .pluck();
  return rows.map(({ stop_reason: stopReason, cut, code, document, ...rest }) => ({
    ...rest,
    isCut: cut === 1,
    stopReason,
    findingIds: findingIds.all(rest.id) as readonly string[],
    actions: actions.all(rest.id) as readonly string[],
    beginning: code === null || document === null ? undefined : runHeaderOf(code, document),
  }));
}
